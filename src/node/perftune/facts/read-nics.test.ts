import { describe, expect, test } from "vitest";
import { MemoryBase } from "../../host/memory-base.ts";
import { type MemoryCommand, MemoryHost } from "../../host/memory-host.ts";
import { parseChannels, readNics } from "./read-nics.ts";

const card = (name: string): string => `/sys/devices/pci0000:00/0000:00:1${name.at(-1)}.0`;
const net = "/sys/class/net";

const interrupts = new Map([
  [30, "PCI-MSI virtio1-config"],
  [31, "PCI-MSI virtio1-input.0"],
  [50, "PCI-MSI virtio10-input.0"],
  [51, "PCI-MSI 0-edge virtio0, virtio1"],
  [60, "xen-dyn -event eth5-q0-tx"],
  [61, "xen-dyn -event eth55-q0-tx"],
]);

function host(ethtool: MemoryCommand): MemoryHost {
  const names = ["eno1", "eno2", "eno3", "vnet1", "eth5"];
  const files: [string, string][] = [
    ...names.map((name): [string, string] => [`${net}/${name}/mtu`, "1500\n"]),
    [`${card("eno1")}/msi_irqs/101`, "msix\n"],
    [`${card("eno1")}/msi_irqs/99`, "msix\n"],
    [`${card("eno2")}/irq`, "19\n"],
    ["/sys/devices/virtio1/modalias", "virtio:d00000001v00001AF4\n"],
    ["/sys/devices/vif-0/modalias", "xen:vif\n"],
    [`${net}/eno1/queues/rx-0/rps_cpus`, "0\n"],
    [`${net}/eno1/queues/rx-10/rps_cpus`, "0\n"],
    [`${net}/eno1/queues/rx-2/rps_cpus`, "0\n"],
    [`${net}/eno1/queues/rx-2/rps_flow_cnt`, "0\n"],
    [`${net}/eno1/queues/tx-0/xps_cpus`, "0\n"],
    [`${net}/bond0/bonding/slaves`, "eno1 eno2\n"],
    [`${net}/vlan7/mtu`, "1500\n"],
    [`${net}/loopa/mtu`, "1500\n"],
    [`${net}/loopb/mtu`, "1500\n"],
    [`${net}/lo/mtu`, "65536\n"],
    [`${net}/-x/mtu`, "1500\n"],
  ];
  const links: [string, string][] = [
    [`${net}/eno1/device`, card("eno1")],
    [`${net}/eno2/device`, card("eno2")],
    [`${net}/eno3/device`, card("eno3")],
    [`${net}/vnet1/device`, "/sys/devices/virtio1"],
    [`${net}/eth5/device`, "/sys/devices/vif-0"],
    [`${net}/vlan7/lower_bond0`, `${net}/bond0`],
    // The accelerated interface of a cloud has a device, and another one below it.
    [`${net}/eno3/lower_eno2`, `${net}/eno2`],
    [`${net}/loopa/lower_loopb`, `${net}/loopb`],
    [`${net}/loopb/lower_loopa`, `${net}/loopa`],
    [`${card("eno1")}/driver`, "/sys/bus/pci/drivers/igb"],
  ];
  return new MemoryHost(new MemoryBase(files, [], links), [["ethtool", ethtool]]);
}

const silent: MemoryCommand = () => ({ type: "exited", code: 1, stdout: "", stderr: "Operation not supported" });

async function devices(name: string, ethtool = silent) {
  const [nic] = await readNics([name], host(ethtool), interrupts);
  return nic?.type === "devices" ? nic.devices : nic?.type;
}

describe("network interfaces", () => {
  test.each([
    ["eno1", ["eno1"]],
    ["bond0", ["eno1", "eno2"]],
    ["vlan7", ["eno1", "eno2"]],
    ["eno3", ["eno3", "eno2"]],
  ])("%s consists of %j", async (name, names) => {
    const found = await devices(name);
    expect(Array.isArray(found) && found.map((one) => one.name)).toEqual(names);
  });

  test.each([
    ["lo", "virtual"],
    ["loopa", "virtual"],
    ["nosuch", "missing"],
    ["-x", "missing"],
    ["../net/eno1", "missing"],
  ])("%s is %s", async (name, type) => {
    expect(await devices(name)).toBe(type);
  });

  test("have queues in the order of their numbers, and the driver of their device where ethtool is missing", async () => {
    expect(await devices("eno1")).toEqual([
      { name: "eno1", driver: "igb", irqs: [99, 101], rpsQueues: [0, 2, 10], flowQueues: [2], xpsQueues: [0] },
    ]);
  });

  test.each([
    ["eno2", [19]],
    ["vnet1", [30, 31, 51]],
    ["eth5", [60]],
    ["eno3", []],
  ])("%s has the IRQs %j: its own, and not those of a name that begins alike", async (name, irqs) => {
    const found = await devices(name);
    expect(Array.isArray(found) && found[0]?.irqs).toEqual(irqs);
  });

  test("have channels as ethtool tells them", () => {
    const output =
      "Channel parameters for eth0:\nPre-set maximums:\nRX:\t\tn/a\nTX:\t\tn/a\nOther:\t\t1\nCombined:\t8\nCurrent hardware settings:\nRX:\t\tn/a\nTX:\t\tn/a\nOther:\t\t1\nCombined:\t4\n";
    expect(parseChannels(output)).toEqual({ maximum: { other: 1, combined: 8 }, current: { other: 1, combined: 4 } });
    expect(parseChannels("Channel parameters for eth0:\nCombined:\t4\n")).toBeUndefined();
  });
});
