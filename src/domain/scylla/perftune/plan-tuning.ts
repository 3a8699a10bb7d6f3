import { cpuTree } from "../../../language/cpu/cpu-tree.ts";
import { intersection } from "../../../language/cpu/cpu-set.ts";
import { tuneClock } from "./clock.ts";
import { diskIrqs, tuneDisks } from "./disk/tune-disks.ts";
import type { HostFacts } from "./host-facts.ts";
import { banIrqs } from "./irq/ban-irqs.ts";
import { deriveMasks } from "./masks/derive-masks.ts";
import { shownMask } from "./masks/mask-text.ts";
import { queueIrqs } from "./nic/queue-irqs.ts";
import { tuneNic } from "./nic/tune-nic.ts";
import type { PerftuneOptions } from "./option/perftune-options.ts";
import type { PerftunePlan, PerftuneStep } from "./plan.ts";
import { type Targets, targetsOf } from "./targets.ts";
import { tuneNetwork } from "./tune-network.ts";

/** What became of the first phase. */
export interface ChannelOutcome {
  /** NICs that had the wanted number of queues, or whose driver accepted it. */
  readonly asWanted: ReadonlySet<string>;
  /** In a dry run nothing has changed: the facts still show the queues from before. */
  readonly isDryRun: boolean;
}

/** The second phase of a run: everything but the number of queues. */
export function planTuning(options: PerftuneOptions, facts: HostFacts, channels: ChannelOutcome): PerftunePlan {
  const targets = targetsOf(options, facts);
  if (targets.type === "refused") return targets;
  const devices = planDevices(options, facts, { targets, channels });
  if (devices.type === "refused") return devices;
  return { type: "planned", steps: withoutRepeats([...devices.steps, ...planClock(options, facts)]) };
}

/** Only devices need masks: the clock is set on any machine. */
function planDevices(
  options: PerftuneOptions,
  facts: HostFacts,
  { targets, channels }: { readonly targets: Targets; readonly channels: ChannelOutcome },
): PerftunePlan {
  const { nics, disks } = targets;
  if (nics.length === 0 && !disks) return { type: "planned", steps: [] };
  const masks = deriveMasks({ ...facts, options });
  if (masks.type === "refused") return masks;

  const { nvme, others } = disks ? diskIrqs(disks, facts) : { nvme: [], others: [] };
  const own = new Set([...(disks?.devices ?? []), ...nics].flatMap(({ irqs }) => irqs));
  const bans = banIrqs({
    irqbalance: facts.irqbalance,
    wanted: [...nvme, ...others, ...nics.flatMap((nic) => queueIrqs(nic, facts.interrupts).map(({ irq }) => irq))],
    isStale: (irq) => own.has(irq) || !facts.interrupts.has(irq),
  });
  if ("type" in bans) return bans;

  const ofNics = nics.flatMap((nic) => {
    const isAsWanted = channels.asWanted.has(nic.name);
    return tuneNic({
      nic,
      facts,
      options,
      masks,
      channels: isAsWanted ? (channels.isDryRun ? "assumed" : "set") : "kept",
    });
  });
  return {
    type: "planned",
    steps: [
      ...unusableCpuMask(options, facts),
      ...bans,
      ...(disks ? tuneDisks({ disks, facts, options, masks }) : []),
      ...ofNics,
      ...(nics.length > 0 && facts.net ? tuneNetwork(facts.net, options.tcpMemFraction) : []),
    ],
  };
}

function planClock({ tune, tuneClock: wanted }: PerftuneOptions, { clock }: HostFacts): PerftuneStep[] {
  if (!wanted) return [];
  if (!tune.includes("system")) return [{ type: "note", text: "--tune-clock has no effect without --tune system" }];
  return clock ? tuneClock(clock) : [];
}

function unusableCpuMask({ cpuMask }: PerftuneOptions, { topology }: HostFacts): PerftuneStep[] {
  if (!cpuMask || intersection(cpuTree(topology).cpus, cpuMask.cpus).length > 0) return [];
  return [{ type: "note", text: `--cpu-mask ${shownMask(cpuMask)} has no CPU of this machine: all CPUs are used` }];
}

/** Settings that several devices share, and that each of them needs. */
function withoutRepeats(steps: readonly PerftuneStep[]): PerftuneStep[] {
  const seen = new Set<string>();
  return steps.filter((step) => {
    if (step.type !== "write") return true;
    const write = `${step.path}\n${step.value}`;
    return !seen.has(write) && seen.add(write);
  });
}
