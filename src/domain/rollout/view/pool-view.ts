import { findCondition } from "../../../language/object/condition.ts";
import type { MachineConfigPool } from "../../machine-config/api.ts";
import { type Candidates, hasFailed, inOrder, mayBeTold, type Member } from "../candidates.ts";
import { decidePool, type PoolInput } from "../decide-pool.ts";
import { heldOf, heldWaits } from "../held.ts";
import { budgetOf } from "../max-unavailable.ts";
import { printable } from "../node-annotations.ts";
import { countsAsUnavailable, isBehind, isUpdated } from "../node-state.ts";
import { describeConflict } from "../pool-status.ts";
import type { Waiting } from "../waiting.ts";
import { type ActiveNode, activeNode } from "./active-node.ts";

/** `stopped`: it does not go on until a person acts. */
export type PoolState = "no config" | "updated" | "updating" | "waiting" | "stopped" | "paused";

/** A node that gets no config now. */
export interface HeldNode {
  readonly node: string;
  /** What is in its way, and what ends it. */
  readonly because: string;
  /** Empty: it ends by itself. */
  readonly command: string;
}

/** How the rollout of one pool goes: what its operator would decide now, in words. */
export interface PoolView {
  readonly state: PoolState;
  /** The config that its nodes should have. Empty: none. */
  readonly target: string;
  readonly nodes: number;
  readonly updated: number;
  readonly unavailable: number;
  readonly failed: number;
  /** How many nodes may be away at once. Undefined: the pool says nothing valid. */
  readonly budget?: number | undefined;
  readonly inUse: number;
  /** At most `most` of each list; the number beside it counts all. */
  readonly active: readonly ActiveNode[];
  readonly activeCount: number;
  readonly next: readonly { readonly node: string; readonly zone: string }[];
  readonly nextCount: number;
  readonly held: readonly HeldNode[];
  readonly heldCount: number;
  /** Why it does not go on, the most urgent first. */
  readonly waits: readonly Waiting[];
}

export const most = 50;
const longestText = 500;

/** Reasons that only a person ends. */
const stopping = new Set(["RenderDegraded", "NodeFailed", "InvalidMaxUnavailable", "InvalidSelector"]);

/** The decision of the rollout itself, with what the cluster has: nothing is decided here. */
export function poolView(input: Omit<PoolInput, "waiting">): PoolView {
  const { pool, now } = input;
  const held = heldOf(pool);
  const { members, chosen, waiting } = decidePool({ ...input, waiting: [...unrendered(pool), ...heldWaits(held)] });
  const target = pool.spec?.configuration?.name ?? "";
  const updated = members.filter(({ state }) => isUpdated(state, target)).length;
  const budget = budgetOf(pool, members.length);
  const isPaused = pool.spec?.paused === true;
  const active = members.filter(isActive);
  const next = target === "" || isPaused ? [] : inOrder(members.filter((one) => mayBeTold(one, target)));
  const keptBack = [...heldNodes(members, target), ...unreported(held?.released ? undefined : held?.nodes)];
  return {
    state: stateOf({ target, behind: members.length - updated, isPaused, waiting }),
    target,
    nodes: members.length,
    updated: target === "" ? members.length : updated,
    unavailable: members.filter(({ state }) => countsAsUnavailable(state)).length,
    failed: members.filter((member) => hasFailed(member, target)).length,
    ...(budget.type === "nodes" ? { budget: budget.nodes } : {}),
    inUse: chosen?.inUse.length ?? 0,
    active: inOrder(active)
      .slice(0, most)
      .map((member) => activeNode(member, now)),
    activeCount: active.length,
    next: afterOperator(next, chosen)
      .slice(0, most)
      .map(({ state }) => ({ node: state.name, zone: zoneOf(state.node) })),
    nextCount: next.length,
    held: keptBack.slice(0, most),
    heldCount: keptBack.length,
    waits: waiting.map(({ reason, message }) => ({ reason, message: printable(message, longestText) })),
  };
}

interface Facts {
  readonly target: string;
  readonly behind: number;
  readonly isPaused: boolean;
  readonly waiting: readonly Waiting[];
}

function stateOf({ target, behind, isPaused, waiting }: Facts): PoolState {
  if (isPaused) return "paused";
  if (waiting.some(({ reason }) => stopping.has(reason))) return "stopped";
  if (waiting.some(({ reason }) => reason !== "ReleasedWithoutBootArguments")) return "waiting";
  if (target === "") return "no config";
  return behind === 0 ? "updated" : "updating";
}

/** Its nodes stay on what they have, by the word of who renders it. */
function unrendered({ status }: MachineConfigPool): Waiting[] {
  const reason = "RenderDegraded";
  const found = findCondition(status?.conditions, reason);
  return found?.status === "True" ? [{ reason, message: found.message || "the pool cannot be rendered" }] : [];
}

/** It was told a config and does not have it yet. One that was set back after its last attempt does nothing. */
function isActive({ state, progress }: Member): boolean {
  return progress !== undefined && !state.isDone && progress.config === state.update.desired;
}

/** The node of the operator comes last. */
function afterOperator(next: readonly Member[], chosen: Candidates | undefined): Member[] {
  const own = chosen?.deferred?.state.name;
  return [...next.filter(({ state }) => state.name !== own), ...next.filter(({ state }) => state.name === own)];
}

function heldNodes(members: readonly Member[], target: string): HeldNode[] {
  if (target === "") return [];
  return inOrder(members).flatMap((member): HeldNode[] => {
    const { state, progress, conflict } = member;
    const { name } = state;
    const say = (because: string, command = ""): HeldNode[] => [
      { node: name, because: printable(because, longestText), command },
    ];
    if (conflict.length > 0)
      return say(`selected by the custom pools ${conflict.join(" and ")}`, describeConflict(conflict));
    if (hasFailed(member, target)) {
      const reason = progress?.reason ?? (state.update.reason || "its agent gives no reason");
      const times = progress && progress.failures > 1 ? ` ${progress.failures} times` : "";
      return say(`failed${times}: ${reason}`, `kubectl describe node ${name}`);
    }
    if (!isBehind(state, target)) return [];
    if (state.isOnlyCordoned) return say("cordoned by hand", `kubectl uncordon ${name}`);
    if (state.isReady || mayBeTold(member, target) || isActive(member)) return [];
    return say(`not ready: ${state.notReady}`, `kubectl describe node ${name}`);
  });
}

/** Nodes that the barrier waits for. */
function unreported(names: readonly string[] | undefined): HeldNode[] {
  return (names ?? []).map((node) => ({
    node: printable(node, 300),
    because: "has not reported its boot arguments (the pool waits five minutes at most)",
    command: "",
  }));
}

function zoneOf({ metadata }: Member["state"]["node"]): string {
  return metadata.labels?.["topology.kubernetes.io/zone"] ?? "";
}
