import { expect, test } from "vitest";
import { readInterrupts } from "../../domain/scylla/perftune/irq/interrupts.ts";
import { readDisks } from "../../node/perftune/facts/read-disks.ts";
import { readNics } from "../../node/perftune/facts/read-nics.ts";
import { machine, type Machine } from "./machine.ts";
import { machineBase, smallMachine } from "./machine-base.ts";

const base = machineBase({ ...smallMachine, networkQueues: 3, dataDisk: "/mnt/data" });

async function interrupts(host: Machine): Promise<ReadonlyMap<number, string>> {
  const file = await host.read("/proc/interrupts");
  return readInterrupts(file.type === "text" ? file.text : "");
}

async function card(host: Machine): Promise<object | undefined> {
  const [nic] = await readNics(["eth0"], host, await interrupts(host));
  return nic?.type === "devices" ? nic.devices[0] : nic;
}

test("a network card has queues, each with an interrupt for what comes and one for what goes", async () => {
  const queues = [0, 1, 2];
  expect(await card(machine(base))).toEqual({
    name: "eth0",
    driver: "virtio_net",
    irqs: [40, 41, 42, 43, 44, 45],
    rpsQueues: queues,
    flowQueues: queues,
    xpsQueues: queues,
    channels: { maximum: { combined: 3 }, current: { combined: 3 } },
  });
});

test("a queue that ethtool removes is gone with its interrupts, and comes back as new", async () => {
  const host = machine(base);
  await host.write("/proc/irq/44/smp_affinity", "1");
  await host.run(["ethtool", "-L", "eth0", "combined", "2"]);
  expect(await card(host)).toMatchObject({ irqs: [40, 41, 42, 43], rpsQueues: [0, 1] });
  expect(await host.read("/proc/irq/44/smp_affinity")).toEqual({ type: "missing" });
  await host.run(["ethtool", "-L", "eth0", "combined", "3"]);
  expect(await card(host)).toMatchObject({ irqs: [40, 41, 42, 43, 44, 45], rpsQueues: [0, 1, 2] });
  expect(await host.read("/proc/irq/44/smp_affinity")).toEqual({ type: "text", text: "0000000f\n" });
});

test("both files of an interrupt's CPUs show what was written to one of them", async () => {
  const host = machine(base);
  await host.write("/proc/irq/40/smp_affinity", "6");
  expect(await host.read("/proc/irq/40/smp_affinity_list")).toEqual({ type: "text", text: "1-2\n" });
  await host.write("/proc/irq/40/smp_affinity_list", "0,3");
  expect(await host.read("/proc/irq/40/smp_affinity")).toEqual({ type: "text", text: "00000009\n" });
});

test("a disk for data is found by its mount, and lets nobody move its interrupts", async () => {
  const host = machine(base);
  const { devices, unresolved } = await readDisks(
    { directories: ["/mnt/data"], devices: [] },
    host,
    await interrupts(host),
  );
  expect(unresolved).toEqual([]);
  expect(devices).toMatchObject([{ name: "nvme0n1", irqs: [30, 31], scheduler: { text: "none [mq-deadline]\n" } }]);
  expect(await host.write("/proc/irq/30/smp_affinity", "1")).toMatchObject({ type: "failed" });
  await host.write("/sys/block/nvme0n1/queue/scheduler", "none");
  expect(await host.read("/sys/block/nvme0n1/queue/scheduler")).toEqual({ type: "text", text: "[none] mq-deadline\n" });
});
