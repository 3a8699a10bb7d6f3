import type { PerftuneAction } from "../action.ts";
import type { HostFacts, NicFacts } from "../host-facts.ts";
import type { PerftuneOptions } from "../option/perftune-options.ts";
import { planChannels } from "../plan-channels.ts";
import { planTuning } from "../plan-tuning.ts";
import type { PerftunePlan, PerftuneStep } from "../plan.ts";

/** Four cores with two threads each. */
export const smallHost: HostFacts = {
  topology: {
    offline: [],
    numaNodes: [{ id: 0, cores: [0, 1, 2, 3].map((id) => ({ id, socket: 0, cpus: [id, id + 4] })) }],
  },
  hasSiblings: true,
  interrupts: new Map(),
  net: { flowEntries: 0, memoryBytes: 2 ** 36, pageBytes: 4096 },
};

export const netOptions: PerftuneOptions = {
  tune: ["net"],
  mode: "auto",
  nics: ["eth0"],
  directories: [],
  devices: [],
  coresPerIrqCore: 16,
  tcpMemFraction: 0.03,
  tuneClock: false,
};

const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

/** A card with as many queues as wanted; an IRQ for each, from 100. */
export function card(queues: number, more: Partial<NicFacts> = {}): NicFacts {
  return {
    name: "eth0",
    driver: "igb",
    irqs: upTo(queues).map((queue) => 100 + queue),
    rpsQueues: upTo(queues),
    flowQueues: upTo(queues),
    xpsQueues: upTo(queues),
    ...more,
  };
}

/** A host with this card, whose IRQs are named after its queues. */
export function hostWith(nic: NicFacts, more: Partial<HostFacts> = {}): HostFacts {
  const interrupts = new Map(nic.irqs.map((irq, queue) => [irq, `PCI-MSI ${nic.name}-TxRx-${queue}`]));
  return { ...smallHost, interrupts, nics: [{ type: "devices", name: nic.name, devices: [nic] }], ...more };
}

/** The plan of both phases, with each card as it is now. */
export function planned(options: PerftuneOptions, facts: HostFacts): PerftunePlan {
  const channels = planChannels(options, facts);
  if (channels.type === "refused") return channels;
  const tuning = planTuning(options, facts, { asWanted: channels.asWanted, isDryRun: false });
  return tuning.type === "refused" ? tuning : { ...tuning, steps: [...channels.steps, ...tuning.steps] };
}

/** What each file gets. */
export function writes(plan: PerftunePlan): Record<string, string> {
  return Object.fromEntries(
    actions(plan).flatMap((action) => (action.type === "write" ? [[action.path, action.value]] : [])),
  );
}

export function actions(plan: PerftunePlan): PerftuneAction[] {
  return stepsOf(plan).flatMap((step) => (step.type === "note" ? [] : [step]));
}

export function notes(plan: PerftunePlan): string[] {
  return stepsOf(plan).flatMap((step) => (step.type === "note" ? [step.text] : []));
}

function stepsOf(plan: PerftunePlan): readonly PerftuneStep[] {
  if (plan.type === "refused") throw new Error(plan.problem);
  return plan.steps;
}
