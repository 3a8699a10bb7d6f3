import { readDrain, describeBlocked } from "./drain/drain-record.ts";
import type { Candidates, Member } from "./candidates.ts";
import { isBehind, isUpdated } from "./node-state.ts";

export interface Waiting {
  /** CamelCase, for a condition. */
  readonly reason: string;
  /** Says what waits for what, and what to do. */
  readonly message: string;
}

/** Why a rollout does not go on, the most urgent first. Empty: it goes on, or is finished. */
export function waitingFor(
  members: readonly Member[],
  target: string,
  { failed, inUse, capacity }: Candidates,
): Waiting[] {
  if (members.every(({ state }) => isUpdated(state, target))) return [];
  const blocked = members.flatMap(({ state: { name, node } }) => {
    const record = readDrain(node);
    if (!record || record.blocked.length === 0) return [];
    const more = record.more ? ` and ${record.more} more` : "";
    return [
      {
        reason: "DrainBlocked",
        message: `the drain of node ${name}, begun ${record.since}, is blocked: ${record.blocked.map(describeBlocked).join(", ")}${more}`,
      },
    ];
  });
  const cordoned = members
    .filter(({ state }) => state.isOnlyCordoned && isBehind(state, target))
    .map(({ state }) => ({
      reason: "NodeCordoned",
      message: `node ${state.name} was cordoned by another client: it is updated after kubectl uncordon ${state.name}`,
    }));
  const notReady = capacity > 0 ? [] : inUse.filter(({ state }) => state.isDone && !state.isReady);
  return [
    ...failed.map(({ state }) => ({
      reason: "NodeFailed",
      message: `no other node is updated while node ${state.name} has failed: see NodeDegraded`,
    })),
    ...blocked,
    ...cordoned,
    ...notReady.map(({ state }) => ({
      reason: "NodeNotReady",
      message: `node ${state.name} is not ready (${state.notReady}) and counts as unavailable: spec.maxUnavailable allows no other node`,
    })),
  ];
}
