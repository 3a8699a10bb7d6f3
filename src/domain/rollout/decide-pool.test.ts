import { expect, test } from "vitest";
import { applyMergePatch } from "../../language/patch/merge-patch.ts";
import type { Json } from "../../language/object/json.ts";
import { apiVersion, type MachineConfigPool } from "../machine-config/api.ts";
import { decidePool, type PoolDecision } from "./decide-pool.ts";
import { Members } from "./members.ts";
import { agentAnnotations, annotations, ownAnnotations, updateOf } from "./node-annotations.ts";
import { startupTaint } from "./startup/startup-taint.ts";
import type { RolloutNode } from "./rollout-node.ts";

const pool: MachineConfigPool = {
  apiVersion,
  kind: "MachineConfigPool",
  metadata: { name: "worker" },
  spec: { nodeSelector: { matchLabels: { worker: "" } }, configuration: { name: "r-3" } },
};

function node(name: string, [current, desired, state]: readonly [string, string, string]): RolloutNode {
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: {
      name,
      labels: { worker: "" },
      annotations: {
        [annotations.currentConfig]: current,
        [annotations.desiredConfig]: desired,
        [annotations.state]: state,
      },
    },
  };
}

function pass(nodes: readonly RolloutNode[], given = pool): PoolDecision {
  const members = new Members();
  members.use([given]);
  return decidePool({ pool: given, nodes: members.of("worker", nodes), now: "2026-01-01T00:00:00Z" });
}

function written(nodes: readonly RolloutNode[], { changes }: PoolDecision): RolloutNode[] {
  return nodes.map((one) => {
    const change = changes.find((candidate) => candidate.node === one);
    const patch = { metadata: { annotations: change?.annotations ?? {} } };
    return applyMergePatch(one as unknown as Json, patch) as unknown as RolloutNode;
  });
}

test("a node that failed on another config uses the budget once it is told, and has not failed on this one", () => {
  let nodes = [node("a", ["r-1", "r-2", "Degraded"]), node("b", ["r-1", "r-1", "Done"])];
  for (let times = 0; times < 3; times++) nodes = written(nodes, pass(nodes));
  expect(nodes.map(({ metadata }) => updateOf(metadata).desired)).toEqual(["r-3", "r-1"]);
  expect(JSON.parse(nodes[0]?.metadata.annotations?.[ownAnnotations.progress] ?? "")).toMatchObject({
    config: "r-3",
    phase: "Told",
    failures: 0,
  });
});

test("nodes that have no config yet run as they were installed: only one that was told counts as unavailable", () => {
  let nodes = ["a", "b", "c"].map((name) => node(name, ["", "", ""]));
  const counts = [0, 1].map(() => {
    const decision = pass(nodes);
    nodes = written(nodes, decision);
    return decision.status;
  });
  expect(counts).toMatchObject([{ unavailableMachineCount: 0 }, { unavailableMachineCount: 1, machineCount: 3 }]);
});

test("a pool that is paused names a drain that has begun, with its pods and budgets (machine-config W-16)", () => {
  const drain = {
    request: "drain-r-2",
    since: "2026-01-01T00:00:00Z",
    blocked: [{ pod: "a/web", budgets: ["a/keep"], message: "no" }],
  };
  const draining = node("a", ["r-1", "r-2", "Working"]);
  const metadata = {
    ...draining.metadata,
    annotations: { ...draining.metadata.annotations, [ownAnnotations.drain]: JSON.stringify(drain) },
  };
  const paused = { ...pool, spec: { ...pool.spec, paused: true } };
  expect(pass([{ ...draining, metadata }], paused).status?.conditions).toContainEqual(
    expect.objectContaining({
      type: "RolloutBlocked",
      status: "True",
      reason: "DrainBlocked",
      message:
        "the drain of node a, begun 2026-01-01T00:00:00Z, is blocked: pod a/web: PodDisruptionBudget a/keep allows no further disruption: change the budget or delete the pods to let the drain go on",
    }),
  );
});

test("a node whose configs a user took away is told again, although it says that it is done", () => {
  const nodes = [node("a", ["", "", "Done"]), node("b", ["r-1", "r-1", "Done"])];
  expect(written(nodes, pass(nodes)).map(({ metadata }) => updateOf(metadata).desired)).toEqual(["r-3", "r-1"]);
});

test("a node that restarted and lost its config keeps the taint until it is tuned", () => {
  const lost = node("a", ["r-1", "r-1", "Lost"]);
  const status = { conditions: [{ type: "Ready", status: "True" }], nodeInfo: { bootID: "2" } };
  const metadata = {
    ...lost.metadata,
    annotations: { ...lost.metadata.annotations, [agentAnnotations.tunedBoot]: "1" },
  };
  const before = [{ ...lost, metadata, spec: { taints: [startupTaint] }, status }];
  const after = written(before, pass(before));
  expect(updateOf(after[0]!.metadata)).toMatchObject({ current: "", desired: "" });
  expect(pass(after).changes.flatMap(({ taints = [startupTaint] }) => taints)).toContainEqual(startupTaint);
});

test("a pool that cannot be rendered has an event, once for each reason", () => {
  const problems = (given: MachineConfigPool, ...renderProblems: string[]) => {
    const { events, status } = decidePool({ pool: given, nodes: [], now: "2026-01-01T00:00:00Z", renderProblems });
    return { events: events.filter(({ reason }) => reason.startsWith("Render")), status };
  };
  const bad = "MachineConfig bad spec.x: no";
  const first = problems(pool, bad);
  const event = {
    type: "Warning",
    reason: "RenderFailed",
    message: `Failed to render configuration for pool worker: ${bad}`,
  };
  expect(first.events).toEqual([expect.objectContaining(event)]);
  const known = { ...pool, status: first.status! };
  expect(problems(known, bad).events).toEqual([]);
  expect(problems(known, "another").events).toHaveLength(1);
  expect(problems(known).events).toEqual([expect.objectContaining({ type: "Normal", reason: "RenderSucceeded" })]);
});
