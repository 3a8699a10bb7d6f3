import { describe } from "vitest";
import type { MachineConfigPool } from "../../src/domain/machine-config/api.ts";
import { customPoolLabels } from "../../src/domain/rollout/built-in-pools.ts";
import { chooseCandidates, inOrder, type Member } from "../../src/domain/rollout/candidates.ts";
import { decidePool, type PoolDecision } from "../../src/domain/rollout/decide-pool.ts";
import { budgetOf, maxUnavailable } from "../../src/domain/rollout/max-unavailable.ts";
import { Members } from "../../src/domain/rollout/members.ts";
import type { NodeChange } from "../../src/domain/rollout/node-changes.ts";
import { nextProgress } from "../../src/domain/rollout/node-progress.ts";
import { isBehind, isUpdated, judgeNode } from "../../src/domain/rollout/node-state.ts";
import { findCondition } from "../../src/language/object/condition.ts";
import { agreesWithRecorded, casesOf } from "./parity.ts";
import {
  nodeOf,
  now,
  poolOf,
  shortAnnotation,
  shortConditions,
  type ShortNode,
  type ShortPool,
} from "./recorded-pools.ts";

interface Input {
  cases: { value: unknown; nodes: number }[];
  pool: ShortPool;
  pools: ShortPool[];
  sync: string;
  nodes: ShortNode[];
  machineConfigs?: { name: string; owner: string }[];
  operatorNode?: string;
  topology?: string;
}

interface Case {
  id: string;
  check: string;
  input: Input;
  expect: unknown;
}

const cases = casesOf<Case>("rollout");

const checks: Record<string, (input: Input) => unknown> = {
  maxUnavailable: ({ cases: given }) => ({
    results: given.map(({ value, nodes }) => {
      const budget = maxUnavailable(value, nodes);
      return budget.type === "nodes" ? budget.nodes : { error: true };
    }),
  }),
  candidates({ pool, nodes }) {
    const members = nodes.map((short) => memberOf(short, pool.configuration ?? ""));
    const budget = budgetOf(poolOf(pool), members.length);
    const maximum = budget.type === "nodes" ? budget.nodes : 0;
    const { candidates, capacity, picked } = chooseCandidates({
      members,
      target: pool.configuration ?? "",
      budget: maximum,
    });
    const unavailable = members.filter(({ state }) => state.isUnavailable);
    return {
      candidates: namesOf(candidates),
      capacity,
      maxUnavailable: maximum,
      picked: namesOf(picked),
      unavailable: namesOf(unavailable),
    };
  },
  order: ({ nodes }) => ({ order: namesOf(inOrder(nodes.map((short) => memberOf(short, "")))) }),
  nodeState: ({ pool: { configuration = "" }, nodes }) =>
    Object.fromEntries(
      nodes.map((short) => {
        const state = judgeNode(nodeOf(short));
        const {
          isReady: ready,
          isDone: done,
          isFailing: failing,
          isDegraded: degraded,
          isUnavailable: unavailable,
        } = state;
        const [candidate, updated] = [isBehind(state, configuration), isUpdated(state, configuration)];
        return [short.name, { candidate, degraded, done, failing, ready, unavailable, updated }];
      }),
    ),
  sync: onePass,
};

function memberOf(short: ShortNode, target: string): Member {
  const state = judgeNode(nodeOf(short));
  return { state, conflict: [], progress: nextProgress(state, target, now) };
}

function namesOf(members: readonly Member[]): string[] {
  return members.map(({ state }) => state.name);
}

function onePass({ pools: short, sync, nodes, machineConfigs = [], operatorNode, topology }: Input): unknown {
  const pools = short.map(poolOf);
  const members = new Members();
  members.use(pools);
  const customPoolOf = (config: string): Readonly<Record<string, string>> | undefined => {
    const owner = machineConfigs.find(({ name }) => name === config)?.owner;
    return customPoolLabels(pools.find(({ metadata }) => metadata.name === owner));
  };
  const all = nodes.map(nodeOf);
  const pool = pools.find(({ metadata }) => metadata.name === sync)!;
  const decision = decidePool({ pool, nodes: members.of(sync, all), operatorNode, topology, customPoolOf, now });
  const blocked = findCondition(decision.status?.conditions, "RolloutBlocked");
  return {
    ...(blocked?.reason === "InvalidMaxUnavailable" ? { error: true } : {}),
    nodes: Object.fromEntries(
      all.map((node) => [
        node.metadata.name,
        written(
          decision.changes.find((change) => change.node === node),
          node,
        ),
      ]),
    ),
    pools: Object.fromEntries(
      pools.map((one) => [one.metadata.name, one === pool ? statusOf(pool, decision) : "not written"]),
    ),
    events: decision.events.map(({ type, reason, message }) => `${type} ${reason} ${message}`),
  };
}

function written(change: NodeChange | undefined, node: NodeChange["node"]): object {
  const known = Object.entries(change?.annotations ?? {}).flatMap(([name, value]): [string, string | null][] => {
    const short = shortAnnotation(name);
    return short ? [[short, value]] : [];
  });
  const set = known.filter(([, value]) => value !== null);
  const removed = known.filter(([, value]) => value === null).map(([name]) => name);
  return {
    ...(set.length > 0 ? { annotationsSet: Object.fromEntries(set) } : {}),
    ...(removed.length > 0 ? { annotationsRemoved: removed } : {}),
    ...(change?.labels ? { labelsSet: change.labels } : {}),
    taints: (change?.taints ?? node.spec?.taints ?? []).map(({ key, effect }) => `${key}:${effect}`),
  };
}

function statusOf(pool: MachineConfigPool, { status }: PoolDecision): unknown {
  if (!status) return "not written";
  const { configuration, conditions = [], observedGeneration: _, ...counts } = status;
  // Where Attune says why a rollout waits.
  const recorded = conditions.filter(({ type }) => type !== "RolloutBlocked");
  return { ...counts, configuration: configuration?.name ?? "", conditions: shortConditions(pool, recorded) };
}

/** The recorded result with what Attune does instead. */
function withOurs(id: string, ours: object): [string, object] {
  return [id, { ...(cases.find((recorded) => recorded.id === id)!.expect as object), ...ours }];
}

const failed = { status: "True", reason: "NodesFailed", message: `Node a is reporting: "r"` };
const { pools: degraded } = cases.find(({ id }) => id === "rollout-sync-degraded")!.expect as {
  pools: { worker: { conditions: { type: string }[] } };
};
const conditions = degraded.worker.conditions.map((condition) =>
  condition.type.endsWith("Degraded") ? { ...condition, ...failed } : condition,
);

const ours = Object.fromEntries([
  withOurs("max-numbers", { results: [1, 3, 1, 10, { error: true }, 1] }),
  withOurs("cand-cordoned-skipped", { capacity: 2, picked: ["b", "c"] }),
  withOurs("cand-all-cordoned", { capacity: 3 }),
  withOurs("cand-degraded-not-ready", { candidates: ["b"], capacity: 1, picked: ["b"] }),
  withOurs("cand-degraded-on-target-budget", { candidates: [], capacity: 0, picked: [] }),
  withOurs("cand-no-annotations", { capacity: 2, picked: ["a", "b"] }),
  withOurs("rollout-sync-degraded", { pools: { worker: { ...degraded.worker, conditions } } }),
]);

describe("which nodes are told (machine-config W-14, machine-config W-15, machine-config W-18)", () => {
  agreesWithRecorded(cases, ours, ({ check, input }) => checks[check]!(input));
});
