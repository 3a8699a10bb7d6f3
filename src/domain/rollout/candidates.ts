import { countsAsUnavailable, isBehind, type NodeState } from "./node-state.ts";
import { gaveUp, type NodeProgress, type Phase } from "./node-progress.ts";

export interface Member {
  readonly state: NodeState;
  /** As it will be stored. */
  readonly progress: NodeProgress | undefined;
  /** Other custom pools that select the node too. */
  readonly conflict: readonly string[];
}

export interface Candidates {
  /** Members that use the budget. */
  readonly inUse: readonly Member[];
  /** Members that failed on the target: while there is one, no other node is told. */
  readonly failed: readonly Member[];
  readonly candidates: readonly Member[];
  readonly capacity: number;
  /** The candidates to tell now. */
  readonly picked: readonly Member[];
  /** The node of the operator, if it waits for all others. */
  readonly deferred: Member | undefined;
}

export interface CandidatesInput {
  readonly members: readonly Member[];
  readonly target: string;
  readonly budget: number;
  /** Where the operator runs. */
  readonly operatorNode?: string | undefined;
  /** Tell nodes whose agents have not begun with an overtaken target: one restart instead of two. Default: they finish it, unless they are still drained. */
  readonly redirects?: boolean | undefined;
}

/** Which members of a pool to tell the target. */
export function chooseCandidates(input: CandidatesInput): Candidates {
  const { members, target, budget, operatorNode, redirects = false } = input;
  const inUse = members.filter(({ state }) => usesBudget(state));
  const failed = members.filter((member) => hasFailed(member, target));
  const capacity = failed.length > 0 ? 0 : Math.max(0, budget - inUse.length);
  const tellable = failed.length > 0 ? [] : members.filter((member) => mayBeTold(member, target));
  // These use the budget already.
  const stuck = tellable.filter((one) => isStuck(one) || isIn("Draining", one) || (redirects && isIn("Told", one)));
  const candidates = capacity > 0 ? tellable : stuck;
  const own = candidates.length > 1 ? candidates.find(({ state }) => state.name === operatorNode) : undefined;
  const others = candidates.filter((member) => member !== own && !stuck.includes(member));
  const picked = [...stuck, ...(others.length > capacity ? inOrder(others).slice(0, capacity) : others)];
  return { inUse, failed, candidates, capacity, picked, deferred: own };
}

/**
 * A node that was told uses the budget before it starts. One that only another client cordoned does not, or the pool would
 * wait for ever.
 */
function usesBudget(state: NodeState): boolean {
  const { isDone, isFailing, isOnlyCordoned, isUntouched } = state;
  return countsAsUnavailable(state) && !(isOnlyCordoned && (isDone || isFailing || isUntouched));
}

/** Also by the operator's own deadlines, and after it was set back. */
export function hasFailed({ state, progress }: Member, target: string): boolean {
  if (progress?.config === target) return progress.phase === "Failed" || gaveUp(progress, target);
  return state.isFailing && state.update.desired === target;
}

/** As soon as the budget allows. */
export function mayBeTold({ state, progress, conflict }: Member, target: string): boolean {
  if (!isBehind(state, target) || conflict.length > 0 || (progress && gaveUp(progress, target))) return false;
  // What the operator cordoned for a config that failed may get the next one.
  return state.isReady || (state.notReady === "cordoned" && state.cordonedBy === "operator");
}

/**
 * Uses the budget, and has failed on another config or is done with none, as when a user took its annotations away: told the
 * target, it uses no more, and nothing else would free it.
 */
function isStuck({ state, progress }: Member): boolean {
  const { desired, state: said } = state.update;
  const isUntold = desired === "" && said === "Done";
  return usesBudget(state) && (state.isFailing || progress?.phase === "Failed" || isUntold);
}

/**
 * Was told another config, and has not begun with it. A drain may be blocked for long, and what was wrong with that config may
 * be the reason for this one.
 */
function isIn(phase: Phase, { state, progress }: Member): boolean {
  return usesBudget(state) && progress?.phase === phase && progress.config === state.update.desired;
}

/** By zone, then oldest first, then by name; nodes without a zone last. */
export function inOrder<T extends Pick<Member, "state">>(members: readonly T[]): T[] {
  return members.toSorted(({ state: a }, { state: b }) => (a.order < b.order ? -1 : a.order > b.order ? 1 : 0));
}
