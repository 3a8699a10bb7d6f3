import { onlineCpus } from "../../../../language/cpu/cpu-topology.ts";
import type { AttributeFile, DiskDeviceFacts, DiskFacts, HostFacts } from "../host-facts.ts";
import { spreadIrqs } from "../irq/spread-irqs.ts";
import type { PerftuneOptions } from "../option/perftune-options.ts";
import type { PerftuneMasks, PerftuneStep } from "../plan.ts";

export interface DiskTuning {
  readonly disks: DiskFacts;
  readonly facts: HostFacts;
  readonly options: Pick<PerftuneOptions, "writeBackCache">;
  readonly masks: PerftuneMasks;
}

/** IRQs of disks: NVMe devices have one for each CPU, of which the kernel manages most; those of others go to IRQ CPUs. */
export interface DiskIrqs {
  readonly nvme: readonly number[];
  readonly others: readonly number[];
}

export function diskIrqs(disks: DiskFacts, facts: HostFacts): DiskIrqs {
  const nvme = irqsOf(disks.devices.filter(isNvme));
  const onlyQueues = disks.instanceType !== undefined && /^i3\.(?!metal)/.test(disks.instanceType);
  return {
    nvme: onlyQueues ? nvme.filter((irq) => servesUsedQueue(irq, facts)) : nvme,
    others: irqsOf(disks.devices.filter((device) => !isNvme(device))),
  };
}

/** Of the NVMe queues of an i3 instance, those of its CPUs are used. A vector may serve several. */
function servesUsedQueue(irq: number, { interrupts, topology }: HostFacts): boolean {
  const cpus = onlineCpus(topology).length;
  const queues = Array.from((interrupts.get(irq) ?? "").matchAll(/nvme[0-9]+q([0-9]+)/g), ([, queue]) => Number(queue));
  return queues.some((queue) => queue >= 1 && queue <= cpus);
}

export function tuneDisks(tuning: DiskTuning): PerftuneStep[] {
  const { disks, facts, masks } = tuning;
  const irqs = diskIrqs(disks, facts);
  const { topology } = facts;
  return [
    ...disks.unresolved.map((why) => note(`Skipped: ${why}`)),
    ...group(
      "non-NVMe",
      disks.devices.filter((device) => !isNvme(device)),
      tuning,
      [...spreadIrqs({ irqs: irqs.others, cpus: masks.irq, topology, refusal: "warned" })],
    ),
    ...group("NVMe", disks.devices.filter(isNvme), tuning, [
      ...spreadIrqs({ irqs: irqs.nvme, cpus: masks.universe, topology, refusal: "expected" }),
    ]),
  ];
}

function group(
  kind: string,
  devices: readonly DiskDeviceFacts[],
  { options }: DiskTuning,
  irqs: readonly PerftuneStep[],
): PerftuneStep[] {
  if (devices.length === 0) return [note(`No ${kind} disks to tune`)];
  const names = devices.map(({ name }) => name).join(", ");
  return [note(`${kind} disks: ${names}`), ...irqs, ...devices.flatMap((device) => queueOf(device, options))];
}

function queueOf(
  { name, scheduler, nomerges, writeCache }: DiskDeviceFacts,
  { writeBackCache }: Pick<PerftuneOptions, "writeBackCache">,
): PerftuneStep[] {
  const steps: PerftuneStep[] = [];
  // `[none] mq-deadline`: the one in brackets is in use.
  const offered = scheduler?.text.split(/[\s[\]]+/) ?? [];
  const chosen = ["none", "noop"].find((one) => offered.includes(one));
  if (scheduler && chosen !== undefined) steps.push(write(scheduler, chosen));
  else steps.push(note(`${name} has neither the I/O scheduler none nor noop: it keeps its own`));
  if (nomerges) steps.push(write(nomerges, "2"));
  else steps.push(note(`${name} has no nomerges`));
  // It changes only what the kernel believes of the device, and may lose data: on request alone.
  if (writeBackCache === undefined) return steps;
  if (writeCache) steps.push(write(writeCache, writeBackCache ? "write back" : "write through"));
  else steps.push(note(`${name} has no write_cache`));
  return steps;
}

function isNvme({ name }: DiskDeviceFacts): boolean {
  return name.startsWith("nvme");
}

function irqsOf(devices: readonly DiskDeviceFacts[]): number[] {
  return [...new Set(devices.flatMap(({ irqs }) => irqs))].sort((a, b) => a - b);
}

function write({ path }: AttributeFile, value: string): PerftuneStep {
  return { type: "write", path, value, refusal: "warned" };
}

function note(text: string): PerftuneStep {
  return { type: "note", text };
}
