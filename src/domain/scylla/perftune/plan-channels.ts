import type { HostFacts } from "./host-facts.ts";
import type { PerftuneOptions } from "./options.ts";
import type { PerftunePlan } from "./plan.ts";

/**
 * The first phase of a run: the number of queues of each NIC. It changes the NIC's IRQs, so the facts are read again before
 * the second phase.
 */
export function planChannels(_options: PerftuneOptions, _facts: HostFacts): PerftunePlan {
  return { type: "refused", problem: "not implemented yet", exitCode: 1 };
}
