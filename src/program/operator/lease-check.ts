import type { Clock } from "../../cluster/runtime/clock.ts";
import type { LeaderElection } from "../../cluster/runtime/leader/leader-election.ts";

/** Longer than any candidate holds a Lease that it does not renew, and than a new pod waits for the one that it replaces. */
const longestWaitMs = 600_000;

/**
 * Fails when this process has not led for long. The operator of a hosted cluster has no other replica: a user there keeps its
 * Lease.
 */
export function leaseCheck(election: Pick<LeaderElection, "gate" | "leader">, clock: Clock): () => void {
  let ledAt = clock.monotonic();
  return () => {
    const now = clock.monotonic();
    if (election.gate.open) ledAt = now;
    const seconds = Math.round((now - ledAt) / 1000);
    if (now - ledAt > longestWaitMs)
      throw new Error(`lead: ${election.leader ?? "another client"} has held the Lease for ${seconds} s`);
  };
}
