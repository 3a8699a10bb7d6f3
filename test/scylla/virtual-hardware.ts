import { VirtualNode } from "../../src/embedded/lab/kubelet/node/virtual-node.ts";
import { machineBase, smallMachine } from "../../src/embedded/lab/machine-base.ts";
import type { Machine } from "../../src/embedded/lab/machine.ts";
import type { Topology } from "../../src/embedded/lab/topology.ts";

/** Where the disk for data is mounted. */
export const dataDisk = "/mnt/data";

const topology: Topology = {
  ...smallMachine,
  cpus: 8,
  threadsPerCore: 2,
  reservedCpus: [0, 4],
  networkQueues: 8,
  dataDisk,
};
const base = machineBase(topology);

/** A node with a disk, a network card of as many queues as CPUs, and a kubelet that gives containers CPUs of their own. */
export function databaseNode(name: string, labels: Readonly<Record<string, string>>): VirtualNode {
  return new VirtualNode({ name, topology, base, labels });
}

/** The masks of the card's interrupts, each once. */
export async function interruptMasks(host: Machine): Promise<string[]> {
  const file = await host.read("/proc/interrupts");
  const lines = file.type === "text" ? file.text.split("\n").filter((line) => line.includes("virtio0")) : [];
  const masks = await Promise.all(
    lines.map(async (line) => {
      const affinity = await host.read(`/proc/irq/${Number.parseInt(line, 10)}/smp_affinity`);
      return affinity.type === "text" ? affinity.text.trim().replace(/^0+(?=.)/, "") : affinity.type;
    }),
  );
  return [...new Set(masks)].toSorted();
}

/** The scheduler of the disk for data. */
export async function diskScheduler(host: Machine): Promise<string> {
  const file = await host.read("/sys/block/nvme0n1/queue/scheduler");
  return file.type === "text" ? file.text.trim() : file.type;
}
