import { describeDrain, readDrain, unblocking } from "./drain/drain-record.ts";
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
    ...blockedDrains(members),
    ...cordoned,
    ...notReady.map(({ state }) => ({
      reason: "NodeNotReady",
      message: `node ${state.name} is not ready (${state.notReady}) and counts as unavailable: spec.maxUnavailable allows no other node`,
    })),
  ];
}

/** Also of a pool that is paused: a drain that has begun goes on. */
export function blockedDrains(members: readonly Pick<Member, "state">[]): Waiting[] {
  return members.flatMap(({ state: { name, node } }) => {
    const drain = readDrain(node);
    if (!drain || drain.blocked.length === 0) return [];
    const { since, blocked } = drain;
    const parts = [
      `the drain of node ${name}, begun ${since}, is blocked`,
      describeDrain(drain),
      ...unblocking(blocked),
    ];
    return [{ reason: "DrainBlocked", message: parts.join(": ") }];
  });
}
