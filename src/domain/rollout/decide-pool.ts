import type { MachineConfigPool } from "../machine-config/api.ts";
import { findCondition } from "../../language/object/condition.ts";
import { type ObjectReference, type PlannedEvent, referenceTo } from "../../language/object/plan.ts";
import { type Candidates, chooseCandidates, type Member } from "./candidates.ts";
import { budgetOf } from "./max-unavailable.ts";
import type { Assigned } from "./members.ts";
import { leavePools } from "./leave-pools.ts";
import { annotations, ownAnnotations } from "./node-annotations.ts";
import { isBehind, type NodeState } from "./node-state.ts";
import { attempts, dueIn, nextProgress } from "./node-progress.ts";
import type { NearbyNodes } from "./nearby-nodes.ts";
import { describeConflict, type PoolStatus, poolStatus } from "./pool-status.ts";
import { type NodeChange, NodeChanges, updateTaint } from "./node-changes.ts";
import { conflictCondition, type RolloutNode } from "./rollout-node.ts";
import { isUntuned, startupTaint } from "./startup/startup-taint.ts";
import { blockedDrains, waitingFor, type Waiting } from "./waiting.ts";

export interface PoolInput {
  /** With the configuration that its nodes should have. */
  readonly pool: MachineConfigPool;
  readonly nodes: readonly Assigned[];
  /** Why a rendering is not released yet. */
  readonly waiting?: readonly Waiting[] | undefined;
  /** No other node is told for now. */
  readonly isHeld?: boolean | undefined;
  /** See `PoolStatusInput`. */
  readonly renderProblems?: readonly string[] | undefined;
  /** Nodes that the pool could have. */
  readonly nearby?: NearbyNodes | undefined;
  /** Invalid selectors of the pool. */
  readonly selectorProblems?: readonly string[] | undefined;
  /** The labels of nodes of the custom pool that a config belongs to. */
  readonly customPoolOf?: ((config: string) => Readonly<Record<string, string>> | undefined) | undefined;
  readonly operatorNode?: string | undefined;
  /** See `CandidatesInput`. */
  readonly redirects?: boolean | undefined;
  /** Of the control plane, where an Infrastructure says it. */
  readonly topology?: string | undefined;
  /** RFC 3339. */
  readonly now: string;
}

export interface PoolDecision {
  readonly changes: readonly NodeChange[];
  /** Undefined: not written. */
  readonly status: PoolStatus | undefined;
  readonly events: readonly PlannedEvent[];
  readonly members: readonly Member[];
  /** Undefined: the pool selects every node, and none is touched. */
  readonly chosen: Candidates | undefined;
  /** Why the rollout does not go on. */
  readonly waiting: readonly Waiting[];
  /** Until the next deadline. */
  readonly requeueAfterMs?: number | undefined;
}

/** One pass over a pool: whom to tell, what to remember on its nodes, and its status. */
export function decidePool(input: PoolInput): PoolDecision {
  const { pool, nodes, now, operatorNode } = input;
  const target = pool.spec?.configuration?.name ?? "";
  const of = referenceTo(pool);
  if (isEmpty(pool.spec?.nodeSelector))
    return {
      changes: [],
      members: [],
      chosen: undefined,
      waiting: [],
      status: undefined,
      events: [
        warning(of, "SelectingAll", "This machineconfigpool is selecting all nodes. A non-empty selector is required."),
      ],
    };
  const members = nodes.map(({ state, conflict }): Member => ({
    state,
    conflict,
    progress: nextProgress(state, target, now),
  }));
  const budget = budgetOf(pool, members.length);
  const chosen = chooseCandidates({
    members,
    target,
    budget: budget.type === "nodes" ? budget.nodes : 0,
    operatorNode,
    redirects: input.redirects,
  });
  const isStopped = pool.spec?.paused || pool.metadata.deletionTimestamp !== undefined || budget.type === "invalid";
  const mayAct = target !== "" && !isStopped;
  const invalid = [
    ...(input.selectorProblems ?? []).map((message): Waiting => ({ reason: "InvalidSelector", message })),
    ...(budget.type === "invalid" ? [{ reason: "InvalidMaxUnavailable", message: budget.problem }] : []),
  ];
  const waits = mayAct ? waitingFor(members, target, chosen) : blockedDrains(members);
  const waiting = [...(input.waiting ?? []), ...invalid, ...waits];
  const { renderProblems, nearby } = input;
  const status = poolStatus({ pool, members, renderProblems, nearby, waiting, now });
  const changes = new NodeChanges();
  const events: PlannedEvent[] = [];
  for (const member of members) {
    remember(changes, member);
    changes.taint(member.state.node, startupTaint, isUntuned(member.state.node));
    // It is told again when the budget allows.
    if (member.state.update.state === "Lost") changes.forget(member.state.node);
    reportConflict(member, now, changes, events);
  }
  for (const state of nearby?.withoutPool ?? []) leavePools(changes, state);
  if (mayAct) act(input, { members, chosen, changes, events, target, of });
  if (status.configuration?.name !== pool.status?.configuration?.name)
    events.push(normal(of, "Completed", `Pool ${of.metadata.name} has completed update to MachineConfig ${target}`));
  events.push(...renderEvents(pool, status, of));
  return { changes: changes.all, status, events, members, chosen, waiting, ...soonest(members, now) };
}

/** When a pool cannot be rendered, when the reason changes, and when it can be again. */
function renderEvents(pool: MachineConfigPool, status: PoolStatus, of: ObjectReference): PlannedEvent[] {
  const [before, after] = [pool.status, status].map((one) => findCondition(one?.conditions, "RenderDegraded"));
  const [was, is] = [before?.status === "True", after?.status === "True"];
  if (is && !(was && before?.message === after?.message)) return [warning(of, "RenderFailed", after?.message ?? "")];
  return was && !is ? [normal(of, "RenderSucceeded", "The pool can be rendered again")] : [];
}

interface Acting {
  readonly members: readonly Member[];
  readonly chosen: Candidates;
  readonly changes: NodeChanges;
  readonly events: PlannedEvent[];
  readonly target: string;
  readonly of: ObjectReference;
}

function act(
  { topology, customPoolOf, isHeld }: PoolInput,
  { members, chosen, changes, events, target, of }: Acting,
): void {
  for (const { state, progress } of members) {
    const { node, update } = state;
    if (topology !== undefined && node.metadata.annotations?.[annotations.controlPlaneTopology] !== topology)
      changes.annotate(node, annotations.controlPlaneTopology, topology);
    changes.taint(node, updateTaint, isBehind(state, target));
    // The node stays on what it has; otherwise its agent would try for ever.
    if (
      progress &&
      progress.config === target &&
      progress.failures >= attempts &&
      update.desired === target &&
      update.current
    )
      changes.annotate(node, annotations.desiredConfig, update.current);
  }
  if (isHeld) return;
  if (chosen.deferred && chosen.picked.length > 0)
    events.push(
      normal(
        of,
        "DeferringOperatorNodeUpdate",
        `Deferring update of machine config operator node ${chosen.deferred.state.name}`,
      ),
    );
  const told: string[] = [];
  for (const { state } of chosen.picked) {
    const labels = firstLabels(state.node, customPoolOf);
    if (labels) changes.label(state.node, labels);
    else {
      told.push(state.name);
      if (state.update.desired !== target) tell(changes, state, target);
      if (state.update.desiredImage) changes.annotate(state.node, annotations.desiredImage, null);
    }
  }
  if (told.length > 0)
    events.push(
      normal(
        of,
        "SetDesiredConfig",
        told.length === 1
          ? `Targeted node ${told[0]} to MachineConfig: ${target}`
          : `Set target for ${told.length} nodes to MachineConfig: ${target}`,
      ),
    );
}

/** The config that the node leaves stays usable: its boot entry can still be chosen. */
function tell(changes: NodeChanges, { node, update, isDegraded }: NodeState, target: string): void {
  changes.annotate(node, annotations.desiredConfig, target);
  if (update.current !== "" && update.current !== target)
    changes.annotate(node, ownAnnotations.previousConfig, update.current);
  // What it said of another config would count as a failure of this one, and a node that failed uses no budget.
  if (isDegraded) for (const name of [annotations.state, annotations.reason]) changes.annotate(node, name, null);
}

function remember(changes: NodeChanges, { state: { node }, progress }: Member): void {
  const before = node.metadata.annotations?.[ownAnnotations.progress];
  const after = progress && JSON.stringify(progress);
  if (before !== after) changes.annotate(node, ownAnnotations.progress, after ?? null);
}

/** On the node too: its owner may not look at pools. */
function reportConflict({ state, conflict }: Member, now: string, changes: NodeChanges, events: PlannedEvent[]): void {
  const { node, name } = state;
  const [reason, message] = ["SeveralCustomPools", describeConflict(conflict)];
  const condition = { type: conflictCondition, status: "True", reason, message, lastTransitionTime: now };
  const isNew = changes.conflict(node, conflict.length > 0 ? condition : undefined);
  if (!isNew || conflict.length === 0) return;
  const of = { apiVersion: "v1", kind: "Node", metadata: { name, uid: node.metadata.uid } };
  events.push(warning(of, reason, `${message}; it is not updated until then`));
}

/** The labels of the custom pool whose config a node booted first, once: it joins that pool instead of being changed. */
function firstLabels(
  { metadata }: RolloutNode,
  customPoolOf: PoolInput["customPoolOf"],
): Readonly<Record<string, string>> | undefined {
  const first = metadata.annotations?.[annotations.firstPivotConfig];
  if (first === undefined || metadata.annotations?.[annotations.customPoolLabelsApplied] !== undefined)
    return undefined;
  return customPoolOf?.(first);
}

function soonest(members: readonly Member[], now: string): { requeueAfterMs?: number } {
  const due = Math.min(...members.map(({ progress }) => (progress ? dueIn(progress, now) : Infinity)));
  return Number.isFinite(due) ? { requeueAfterMs: Math.max(due, 0) + 1000 } : {};
}

/** An absent selector selects nothing; an empty one would select everything. */
function isEmpty(
  selector: { matchLabels?: object; matchExpressions?: readonly unknown[] } | null | undefined,
): boolean {
  if (!selector) return false;
  return Object.keys(selector.matchLabels ?? {}).length === 0 && !selector.matchExpressions?.length;
}

function normal(regarding: ObjectReference, reason: string, message: string): PlannedEvent {
  return { regarding, type: "Normal", reason, message };
}

function warning(regarding: ObjectReference, reason: string, message: string): PlannedEvent {
  return { regarding, type: "Warning", reason, message };
}
