import { bootArgumentsMissing } from "../rollout/barrier.ts";
import { chooseCandidates, inOrder, type Member } from "../rollout/candidates.ts";
import { type BlockedPod, describeBlocked } from "../rollout/drain/drain-record.ts";
import { budgetOf } from "../rollout/max-unavailable.ts";
import type { Assigned } from "../rollout/members.ts";
import { nextProgress } from "../rollout/node-progress.ts";
import { describeConflict } from "../rollout/pool-status.ts";
import { waitingFor, type Waiting } from "../rollout/waiting.ts";
import type { BootDecision } from "../node-tuning/boot/boot-decision.ts";
import type { PoolChange, PoolUpdate } from "./pool-change.ts";
import type { RenderedPool } from "./pool-side.ts";

/** A pod that could not be evicted from a node now. */
export interface BlockedNode extends BlockedPod {
  readonly node: string;
}

export interface RolloutInput {
  readonly pool: RenderedPool;
  /** The name of the new config. */
  readonly target: string;
  readonly changed: readonly Assigned[];
  readonly updates: readonly PoolUpdate[];
  /** About boot arguments, right after the writes. */
  readonly boot: BootDecision;
  readonly blocked: readonly BlockedNode[];
  /** Where the operator runs. */
  readonly operatorNode?: string | undefined;
  /** RFC 3339. */
  readonly now: string;
}

/** In which order a pool's nodes get their new config, how many at once, and what they wait for. */
export function rolloutOf(input: RolloutInput): Pick<PoolChange, "order" | "atOnce" | "waits"> {
  const { target, now, changed, operatorNode } = input;
  const { pool, members } = input.pool;
  const all = members.map(({ state, conflict }): Member => ({
    state,
    conflict,
    progress: nextProgress(state, target, now),
  }));
  const budget = budgetOf(pool, all.length);
  const atOnce = budget.type === "nodes" ? budget.nodes : 0;
  const chosen = chooseCandidates({ members: all, target, budget: atOnce, operatorNode });
  const names = new Set(changed.map(({ state }) => state.name));
  const order = inOrder(all)
    .map(({ state }) => state.name)
    .filter((name) => names.has(name));
  const last = order.length > 1 ? order.filter((name) => name === operatorNode) : [];
  return {
    order: [...order.filter((name) => !last.includes(name)), ...last],
    atOnce,
    waits: [
      ...paused(input.pool),
      ...(budget.type === "invalid" ? [{ reason: "InvalidMaxUnavailable", message: budget.problem }] : []),
      ...barrier(input),
      ...all
        .filter(({ conflict }) => conflict.length > 0)
        .map(({ state, conflict }) => ({
          reason: "NodesInSeveralPools",
          message: `node ${state.name} is ${describeConflict(conflict)}`,
        })),
      ...waitingFor(all, target, chosen),
      ...drains(input),
      ...last.map((name) => ({
        reason: "OperatorNode",
        message: `node ${name} is updated last: the operator runs there`,
      })),
    ],
  };
}

function paused({ pool }: RenderedPool): Waiting[] {
  if (pool.spec?.paused !== true) return [];
  const { name = "" } = pool.metadata;
  return [{ reason: "Paused", message: `pool ${name} is paused: no node changes until spec.paused is false` }];
}

/** The barrier that the operator would find closed right after the writes. */
function barrier({ pool: { pool, sources }, boot }: RolloutInput): Waiting[] {
  const missing = bootArgumentsMissing({ pool, sources, boot });
  if (!missing?.nodes) return [];
  const { waitsFor, nodes } = missing;
  return [
    {
      reason: "WaitingForBootArguments",
      message: `the new config waits for ${waitsFor}: ${nodes.join(", ")} (at most five minutes)`,
    },
  ];
}

function drains({ updates, blocked }: RolloutInput): Waiting[] {
  const drained = new Set(updates.filter(({ drain }) => drain).flatMap(({ nodes }) => nodes));
  const order = [...drained];
  return blocked
    .filter(({ node }) => drained.has(node))
    .toSorted((a, b) => order.indexOf(a.node) - order.indexOf(b.node))
    .map((pod) => ({ reason: "DrainBlocked", message: `node ${pod.node} cannot be drained: ${describeBlocked(pod)}` }));
}
