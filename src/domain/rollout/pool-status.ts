import type { MachineConfigPool } from "../machine-config/api.ts";
import { type Condition, findCondition } from "../../language/object/condition.ts";
import type { Member } from "./candidates.ts";
import { describeEmpty, describeWithoutPool, type NearbyNodes } from "./nearby-nodes.ts";
import { longestReason, printable } from "./node-annotations.ts";
import { nodeFindings } from "./node-findings.ts";
import { countsAsUnavailable, isUpdated } from "./node-state.ts";
import { notTuned } from "./startup/startup-taint.ts";

export type PoolStatus = NonNullable<MachineConfigPool["status"]>;

export interface PoolStatusInput {
  readonly pool: MachineConfigPool;
  readonly members: readonly Member[];
  /** Why the pool cannot be rendered. Undefined: not judged, the condition stays. Empty: it can. */
  readonly renderProblems?: readonly string[] | undefined;
  /** Undefined: not judged. */
  readonly nearby?: NearbyNodes | undefined;
  /** Why nodes wait, each with what to do. */
  readonly waiting: readonly { readonly reason: string; readonly message: string }[];
  /** RFC 3339. */
  readonly now: string;
}

type NewCondition = Omit<Condition, "lastTransitionTime">;

/** At most this many nodes are named in a condition. */
const named = 5;

/** The status of a pool: names, counts and texts are those of the machine config operator, and so is their order. */
export function poolStatus(input: PoolStatusInput): PoolStatus {
  const { pool, members, renderProblems, nearby, waiting, now } = input;
  const target = pool.spec?.configuration?.name ?? "";
  const states = members.map(({ state }) => state);
  // Nothing was ever selected for the pool: its nodes are as they should be.
  const isIdle = target === "" && renderProblems?.length === 0 && waiting.length === 0;
  const updated = isIdle ? states : states.filter((state) => isUpdated(state, target));
  const ready = updated.filter(({ isReady }) => isReady);
  const unavailable = states.filter((state) => (isIdle ? !state.isReady : countsAsUnavailable(state)));
  const degraded = members.filter(isDegraded);
  // A node that only another client cordoned has the config, and would keep the pool from being updated for ever.
  const settled = updated.filter(({ isReady, isOnlyCordoned }) => isReady || isOnlyCordoned);
  const isDone = settled.length === states.length && (target !== "" || isIdle);

  const conditions = new Conditions(pool.status?.conditions ?? [], now);
  const updatedText = isIdle
    ? "No MachineConfig is selected: nodes stay as they are"
    : states.length === 0 && nearby
      ? describeEmpty(pool, nearby.elsewhere)
      : `All nodes are updated with MachineConfig ${target}`;
  conditions.set("Updated", isDone ? { status: "True", message: updatedText } : { status: "False" });
  conditions.set("Updating", updating(pool, isDone, target));
  const nodes = degradedNodes(degraded);
  conditions.set("NodeDegraded", nodes);
  if (renderProblems) conditions.set("RenderDegraded", rendering(pool, renderProblems));
  conditions.set("Degraded", either(nodes, conditions.get("RenderDegraded")));
  conditions.setIfEverTrue("RolloutBlocked", blocking(waiting));
  conditions.setIfEverTrue("NodeFindings", nodeFindings(members));
  conditions.setIfEverTrue("NodesNotTuned", notTuned(members));
  // While there is no config, no node misses one.
  conditions.setIfEverTrue("NodesWithoutPool", outside(pool, target === "" ? [] : (nearby?.withoutPool ?? [])));

  return {
    ...pool.status,
    observedGeneration: pool.metadata.generation ?? 0,
    ...(isDone && pool.spec?.configuration ? { configuration: pool.spec.configuration } : {}),
    machineCount: states.length,
    updatedMachineCount: updated.length,
    readyMachineCount: ready.length,
    unavailableMachineCount: unavailable.length,
    degradedMachineCount: degraded.length,
    conditions: conditions.all,
  };
}

/** A node that several custom pools select cannot be updated until its labels or the pools change. */
function isDegraded({ state, progress, conflict }: Member): boolean {
  return state.isDegraded || progress?.phase === "Failed" || (progress?.failures ?? 0) > 1 || conflict.length > 0;
}

function updating({ spec }: MachineConfigPool, isDone: boolean, target: string): Partial<NewCondition> {
  if (isDone || target === "") return { status: "False" };
  if (spec?.paused) return { status: "False", message: `Pool is paused; will not update to MachineConfig ${target}` };
  return { status: "True", message: `All nodes are updating to MachineConfig ${target}` };
}

function degradedNodes(degraded: readonly Member[]): Partial<NewCondition> {
  if (degraded.length === 0) return { status: "False" };
  const texts = degraded
    .slice(0, named)
    .map((member) =>
      member.conflict.length > 0
        ? `Node ${member.state.name} is ${describeConflict(member.conflict)}`
        : `Node ${member.state.name} is reporting: "${printable(why(member), longestReason)}"`,
    );
  const more = degraded.length > named ? `, and ${degraded.length - named} more nodes` : "";
  const isConflict = degraded.every(({ conflict }) => conflict.length > 0);
  return {
    status: "True",
    reason: isConflict ? "NodesInSeveralPools" : "NodesFailed",
    message: `${texts.join(", ")}${more}`,
  };
}

function why({ state, progress }: Member): string {
  if (progress && progress.failures > 1)
    return `failed ${progress.failures} times on ${progress.config}: ${progress.reason ?? "no reason"}; correct the MachineConfigs of the pool to try again`;
  return (progress?.config === state.update.desired ? progress?.reason : undefined) ?? state.update.reason;
}

export function describeConflict(pools: readonly string[]): string {
  return `selected by the custom pools ${pools.join(" and ")}: change its labels so that only one of them selects it`;
}

function rendering({ metadata }: MachineConfigPool, problems: readonly string[]): Partial<NewCondition> {
  if (problems.length === 0) return { status: "False" };
  return {
    status: "True",
    reason: "RenderFailed",
    message: `Failed to render configuration for pool ${metadata.name}: ${problems.join("; ")}`,
  };
}

function either(nodes: Partial<NewCondition>, rendered: Condition | undefined): Partial<NewCondition> {
  const all = [nodes, ...(rendered ? [rendered] : [])].filter(({ status }) => status === "True");
  if (all.length === 0) return { status: "False" };
  return {
    status: "True",
    reason: all[0]?.reason ?? "",
    message: all
      .map(({ message = "" }) => message)
      .filter(Boolean)
      .join("; "),
  };
}

function blocking(waiting: PoolStatusInput["waiting"]): Partial<NewCondition> {
  if (waiting.length === 0) return { status: "False" };
  const texts = waiting.slice(0, named).map(({ message }) => message);
  const more = waiting.length > named ? `; and ${waiting.length - named} more` : "";
  return { status: "True", reason: waiting[0]?.reason ?? "", message: `${texts.join("; ")}${more}` };
}

/** Of the pool that nodes in no pool could come into. */
function outside(pool: MachineConfigPool, nodes: NearbyNodes["withoutPool"]): Partial<NewCondition> {
  if (nodes.length === 0) return { status: "False" };
  return { status: "True", reason: "NoRoleLabel", message: describeWithoutPool(pool, nodes) };
}

/** As the machine config operator keeps them: a changed one moves to the end, its time changes only with its status. */
class Conditions {
  #all: Condition[];
  readonly #now: string;

  constructor(before: readonly Condition[], now: string) {
    this.#all = [...before];
    this.#now = now;
  }

  get all(): Condition[] {
    return this.#all;
  }

  get(type: string): Condition | undefined {
    return findCondition(this.#all, type);
  }

  /** For conditions that the machine config operator does not have: absent until there is something to say. */
  setIfEverTrue(type: string, condition: Partial<NewCondition>): void {
    if (condition.status === "True" || this.get(type)) this.set(type, condition);
  }

  set(type: string, { status = "False", reason = "", message = "" }: Partial<NewCondition>): void {
    const old = this.get(type);
    if (old && old.status === status && (old.reason ?? "") === reason && (old.message ?? "") === message) return;
    const lastTransitionTime = old?.status === status ? (old.lastTransitionTime ?? this.#now) : this.#now;
    const others = this.#all.filter((condition) => condition !== old);
    this.#all = [...others, { type, status, reason, message, lastTransitionTime }];
  }
}
