import type { ChannelKind } from "./action.ts";
import type { HostFacts, NicFacts } from "./host-facts.ts";
import { deriveMasks } from "./masks/derive-masks.ts";
import { wantedQueues } from "./nic/tune-nic.ts";
import type { PerftuneOptions } from "./option/perftune-options.ts";
import { planTuning } from "./plan-tuning.ts";
import type { PerftuneRefusal, PerftuneStep, PlannedSteps } from "./plan.ts";
import { targetsOf } from "./targets.ts";

export interface PlannedChannels extends PlannedSteps {
  /** NICs that have the wanted number of queues already: setting it again may interrupt traffic. */
  readonly asWanted: ReadonlySet<string>;
}

/**
 * The first phase of a run: the number of queues of each NIC. It changes the NIC's IRQs, so the facts are read again before the
 * second phase. What the second phase would refuse is refused here, before anything changes.
 */
export function planChannels(options: PerftuneOptions, facts: HostFacts): PlannedChannels | PerftuneRefusal {
  const after = planTuning(options, facts, { asWanted: new Set(), isDryRun: true });
  if (after.type === "refused") return after;
  const targets = targetsOf(options, facts);
  if (targets.type === "refused") return targets;
  const planned = { type: "planned" as const, steps: [], asWanted: new Set<string>() };
  if (targets.nics.length === 0) return planned;
  const masks = deriveMasks({ ...facts, options });
  if (masks.type === "refused") return masks;
  const count = wantedQueues(options, masks);
  return {
    ...planned,
    steps: targets.nics.flatMap((nic) => stepsOf(nic, count)),
    asWanted: new Set(targets.nics.filter((nic) => hasChannels(nic, count)).map(({ name }) => name)),
  };
}

function stepsOf(nic: NicFacts, count: number): PerftuneStep[] {
  if (hasChannels(nic, count)) return [];
  const changed = kindsOf(nic);
  if (changed.length === 0)
    return [{ type: "note", text: `The driver of ${nic.name} does not change the number of queues` }];
  // The kernel refuses more than the card has.
  const kinds = changed.filter((kind) => !nic.channels || (nic.channels.maximum[kind] ?? 0) >= count);
  if (kinds.length === 0)
    return [{ type: "note", text: `${nic.name} has fewer than ${count} queues: their number stays` }];
  return [
    { type: "note", text: `Setting the number of queues of ${nic.name} to ${count}` },
    { type: "set-channels", nic: nic.name, count, kinds },
  ];
}

/** Where the driver does not tell, both are tried. */
function kindsOf({ channels }: NicFacts): ChannelKind[] {
  return (["rx", "combined"] as const).filter((kind) => !channels || (channels.maximum[kind] ?? 0) > 0);
}

function hasChannels(nic: NicFacts, count: number): boolean {
  const [kind] = kindsOf(nic);
  return kind !== undefined && nic.channels?.current[kind] === count;
}
