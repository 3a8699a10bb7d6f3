import type { HostFacts } from "./host-facts.ts";
import type { PerftuneOptions } from "./options.ts";
import type { PerftunePlan } from "./plan.ts";

/**
 * The second phase of a run: everything but the number of queues. `resized`: NICs whose driver accepted the number of the first
 * phase, or had it already.
 */
export function planTuning(_options: PerftuneOptions, _facts: HostFacts, _resized: ReadonlySet<string>): PerftunePlan {
  return { type: "refused", problem: "not implemented yet", exitCode: 1 };
}
