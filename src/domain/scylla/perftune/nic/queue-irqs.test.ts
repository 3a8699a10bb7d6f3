import { expect, it } from "vitest";
import { queueIrqs } from "./queue-irqs.ts";

it.each([
  ["igb", { 1: "eth0", 2: "eth0-TxRx-1", 3: "eth0-TxRx-0" }, [3, 2]],
  ["ixgbe", { 9: "eth0-TxRx-1", 10: "eth0-fdir-TxRx-0", 11: "eth0-TxRx-0" }, [11, 9, 10]],
  ["ena", { 9: "eth0-Tx-Rx-2", 10: "eth0-Tx-Rx-0", 100: "eth0-Tx-Rx-1", 8: "ena-mgmnt@pci:0" }, [10, 100, 9]],
  ["bnxt_en", { 7: "eth0-fp-0", 6: "eth0-fp-1" }, [6, 7]],
  ["mlx5_core", { 5: "mlx5_async@pci:0", 6: "mlx5_comp1@pci:0", 7: "mlx5_comp0@pci:0" }, [7, 6]],
  ["mlx4_en", { 6: "mlx4-11@0000:05", 7: "mlx4-2@0000:05" }, [7, 6]],
  ["virtio_net", { 4: "virtio1-config", 5: "virtio1-output.0", 6: "virtio1-input.1", 7: "virtio1-input.0" }, [5, 7, 6]],
  ["mana", { 4: "mana_hwc@pci:7870", 5: "PCI-MSI mana_q1@pci:7870", 6: "PCI-MSI mana_q0@pci:7870" }, [6, 5]],
  ["r8169", { 4: "eth0" }, [4]],
  ["", {}, []],
])("IRQs of %s: %j are in order %j", (driver, names, order) => {
  const interrupts = new Map(Object.entries(names).map(([irq, name]) => [Number(irq), name]));
  expect(queueIrqs({ irqs: [...interrupts.keys()], driver }, interrupts).map(({ irq }) => irq)).toEqual(order);
});
