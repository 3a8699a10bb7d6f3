import { machineBase, smallMachine } from "../../src/embedded/lab/machine-base.ts";
import { VirtualNode } from "../../src/embedded/lab/kubelet/node/virtual-node.ts";
import type { Machine } from "../../src/embedded/lab/machine.ts";
import type { Topology } from "../../src/embedded/lab/topology.ts";

const topology: Topology = { ...smallMachine, cpus: 8, threadsPerCore: 2, runtime: "cri-o" };
const base = machineBase(topology);
const irqs = [40, 41, 42, 43, 44, 45, 46, 47];
const everywhere = "ff\n";

/** A node with a network card of as many queues as CPUs, whose kubelet gives containers CPUs of their own. */
export function databaseNode(name: string, labels: Readonly<Record<string, string>>): VirtualNode {
  const node = new VirtualNode({ name, topology, base, labels });
  const { host } = node;
  host.put("/etc/kubernetes/kubelet.conf.d/50-databases.conf", 'cpuManagerPolicy: static\nreservedSystemCPUs: "0,4"\n');
  const card = "/sys/class/net/eth0";
  host.put(`${card}/device/modalias`, "pci:v00008086d00001572\n");
  for (const irq of irqs) {
    host.put(`${card}/device/msi_irqs/${irq}`, "msix\n");
    host.put(`/proc/irq/${irq}/smp_affinity`, everywhere);
    host.put(`/proc/irq/${irq}/smp_affinity_list`, "0-7\n");
  }
  host.put(
    "/proc/interrupts",
    `           CPU0\n${irqs.map((irq, queue) => ` ${irq}:  0  PCI-MSI ${irq}-edge  eth0-TxRx-${queue}\n`).join("")}`,
  );
  for (let queue = 0; queue < irqs.length; queue++) {
    host.put(`${card}/queues/rx-${queue}/rps_cpus`, "00\n");
    host.put(`${card}/queues/rx-${queue}/rps_flow_cnt`, "0\n");
    host.put(`${card}/queues/tx-${queue}/xps_cpus`, "00\n");
  }
  return node;
}

/** The masks of the card's interrupts, each once. */
export async function interruptMasks(host: Machine): Promise<string[]> {
  const masks = await Promise.all(
    irqs.map(async (irq) => {
      const file = await host.read(`/proc/irq/${irq}/smp_affinity`);
      return file.type === "text" ? file.text.trim().replace(/^0+(?=.)/, "") : file.type;
    }),
  );
  return [...new Set(masks)].toSorted();
}
