import { cpuTree } from "../../../../language/cpu/cpu-tree.ts";
import type { CpuSet } from "../../../../language/cpu/cpu-set.ts";
import type { PerftuneAction } from "../action.ts";
import type { HostFacts, NicFacts } from "../host-facts.ts";
import { spreadIrqs } from "../irq/spread-irqs.ts";
import { kernelMask } from "../masks/mask-text.ts";
import { spread } from "../masks/spread.ts";
import type { PerftuneOptions } from "../option/perftune-options.ts";
import type { PerftuneMasks, PerftuneStep } from "../plan.ts";
import { queueIrqs, type QueueIrq } from "./queue-irqs.ts";

/** Entries of the table that steers flows to the CPU of their reader. */
const flowEntries = 32_768;

/** Most queues over which hardware spreads flows, by driver. */
const mostHashedQueues: Readonly<Record<string, number>> = { ixgbe: 16, ixgbevf: 4, i40e: 64, i40evf: 16 };

export interface NicTuning {
  readonly nic: NicFacts;
  readonly facts: HostFacts;
  readonly options: PerftuneOptions;
  readonly masks: PerftuneMasks;
  readonly channels: "kept" | "set" | "assumed";
}

/** How many Rx queues a NIC should have. */
export function wantedQueues({ rxQueues }: PerftuneOptions, { irq }: PerftuneMasks): number {
  return rxQueues ?? irq.length;
}

/** Everything of a NIC but the number of its queues. */
export function tuneNic(tuning: NicTuning): PerftuneStep[] {
  const { nic, facts } = tuning;
  return [
    note(`network card ${nic.name}`),
    ...nicIrqs(tuning),
    ...packetSteering(tuning),
    ...flowSteering(tuning),
    ...transmitSteering(nic, facts),
  ];
}

/** IRQs of the queues that receive are spread first, and then the others, so that each group has all IRQ CPUs. */
function nicIrqs({ nic, facts, options, masks, channels }: NicTuning): PerftuneStep[] {
  const irqs = queueIrqs(nic, facts.interrupts);
  if (irqs.length === 0) return [note(`${nic.name} has no IRQs of its own`)];
  const most = mostHashedQueues[nic.driver] ?? Infinity;
  // Before the change of a dry run the queues are those of the present; the plan is for those that are wanted.
  const queues = channels === "assumed" ? Math.min(most, wantedQueues(options, masks)) : receivingQueues(nic, irqs);
  const spreadOf = (some: readonly QueueIrq[]): PerftuneAction[] =>
    spreadIrqs({ irqs: some.map(({ irq }) => irq), cpus: masks.irq, topology: facts.topology, refusal: "warned" });
  const split =
    channels !== "kept" || most < irqs.length
      ? irqs.findIndex(({ queue }, index) => index >= queues && queue >= queues)
      : -1;
  if (split <= 0) return [note(`all IRQs of ${nic.name}, spread over the IRQ CPUs`), ...spreadOf(irqs)];
  return [
    note(`IRQs of receive queues (${queues}), spread over the IRQ CPUs`),
    ...spreadOf(irqs.slice(0, split)),
    note(`other IRQs of ${nic.name}, spread over the IRQ CPUs`),
    ...spreadOf(irqs.slice(split)),
  ];
}

function receivingQueues(nic: NicFacts, irqs: readonly QueueIrq[]): number {
  const queues = usedQueues(nic).length;
  return Math.min(mostHashedQueues[nic.driver] ?? Infinity, queues > 0 ? queues : irqs.length);
}

/** RPS: packets of each queue may be processed by every CPU. */
function packetSteering({ nic, masks }: NicTuning): PerftuneStep[] {
  if (nic.rpsQueues.length === 0) return [note(`${nic.name} has no receive queue to spread packets of`)];
  return usedQueues(nic).map((queue) => write(`${queueFolder(nic, "rx", queue)}/rps_cpus`, kernelMask(masks.universe)));
}

/** mlx5 shows twice the queues that it has; the upper half is not used. */
function usedQueues({ driver, rpsQueues, channels }: NicFacts): readonly number[] {
  const combined = channels?.current.combined;
  const isDoubled = driver.startsWith("mlx5") && combined !== undefined && rpsQueues.length === 2 * combined;
  const sorted = ascending(rpsQueues);
  return isDoubled ? sorted.slice(0, combined) : sorted;
}

/** RFS: packets of a flow are processed by the CPU that reads them; in hardware (ntuple) where each CPU may have IRQs. */
function flowSteering({ nic, facts, options, masks }: NicTuning): PerftuneStep[] {
  if (facts.net?.flowEntries === undefined)
    return [note("This kernel does not steer flows (RFS): flow counts and ntuple filters are left alone")];
  const irqs = queueIrqs(nic, facts.interrupts);
  const queues = ascending(nic.flowQueues).slice(0, receivingQueues(nic, irqs));
  const share = String(Math.floor(flowEntries / Math.max(queues.length, 1)));
  const on = options.arfs ?? masks.irq.length === masks.universe.length;
  return [
    write("/proc/sys/net/core/rps_sock_flow_entries", String(flowEntries)),
    ...queues.map((queue) => write(`${queueFolder(nic, "rx", queue)}/rps_flow_cnt`, share)),
    note(`${nic.name} ${on ? "steers" : "does not steer"} flows in hardware (ntuple)`),
    { type: "set-ntuple", nic: nic.name, on },
  ];
}

/** XPS: each queue transmits for its share of all CPUs of the machine. */
function transmitSteering(nic: NicFacts, { topology }: HostFacts): PerftuneStep[] {
  const queues = ascending(nic.xpsQueues);
  const shares: readonly CpuSet[] = spread(cpuTree(topology), queues.length);
  return queues.map((queue, index) =>
    write(`${queueFolder(nic, "tx", queue)}/xps_cpus`, kernelMask(shares[index] ?? [])),
  );
}

function queueFolder({ name }: NicFacts, direction: "rx" | "tx", queue: number): string {
  return `/sys/class/net/${name}/queues/${direction}-${queue}`;
}

function ascending(numbers: readonly number[]): number[] {
  return [...numbers].sort((a, b) => a - b);
}

function write(path: string, value: string): PerftuneAction {
  return { type: "write", path, value, refusal: "warned" };
}

function note(text: string): PerftuneStep {
  return { type: "note", text };
}
