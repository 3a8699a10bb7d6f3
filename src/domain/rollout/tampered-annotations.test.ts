import { expect, test } from "vitest";
import { apiVersion, type MachineConfigPool } from "../machine-config/api.ts";
import { decideDrain } from "./drain/decide-drain.ts";
import { decidePool } from "./decide-pool.ts";
import { Members } from "./members.ts";
import { annotations, ownAnnotations } from "./node-annotations.ts";
import { judgeNode } from "./node-state.ts";
import { nodeWaits } from "./node-waits.ts";
import type { RolloutNode } from "./rollout-node.ts";
import { poolView } from "./view/pool-view.ts";

const now = "2026-01-01T00:10:00Z";
const since = "2026-01-01T00:00:00Z";
const pool: MachineConfigPool = {
  apiVersion,
  kind: "MachineConfigPool",
  metadata: { name: "worker" },
  spec: { nodeSelector: { matchLabels: { worker: "" } }, configuration: { name: "r-2" }, maxUnavailable: 2 },
};

function node(name: string, state: string, desired: string, more: Record<string, string> = {}): RolloutNode {
  const written = {
    [annotations.currentConfig]: "r-1",
    [annotations.desiredConfig]: desired,
    [annotations.state]: state,
    [annotations.desiredDrain]: state === "Done" ? "" : `drain-${desired}`,
    ...more,
  };
  const spec = { unschedulable: state !== "Done" };
  return { apiVersion: "v1", kind: "Node", metadata: { name, labels: { worker: "" }, annotations: written }, spec };
}

const progress = { config: "r-2", phase: "Failed", since, failures: 1 };
const pod = { pod: "a/web", budgets: ["a/keep"], message: "no" };
const drain = (...blocked: unknown[]): object => ({ request: "drain-r-2", since, blocked });

/** machine-config W-3: what is wrong with one node must not stop its pool. The kubelet of a node may write its annotations. */
test.each<[string, keyof typeof ownAnnotations, unknown]>([
  ["no object", "progress", [progress]],
  ["a failure for a reason that is no text", "progress", { ...progress, reason: {}, stuckIn: "Draining" }],
  ["a phase that is none", "progress", { ...progress, phase: "constructor" }],
  ["fewer failures than none", "progress", { ...progress, failures: -1_000 }],
  ["a long reason", "progress", { ...progress, reason: "x".repeat(200_000) }],
  ["no object", "drain", null],
  ["no pod", "drain", drain(null, 5, {}, { pod: {} })],
  ["budgets that are one text", "drain", drain({ ...pod, budgets: "a/keep" })],
  ["budgets that are no texts", "drain", drain({ ...pod, budgets: [{}] })],
  ["a message that is no text", "drain", drain({ ...pod, budgets: [], message: {} })],
  ["control characters", "drain", drain({ ...pod, pod: "\u001B[2J".repeat(20_000) })],
  ["thousands of pods", "drain", drain(...Array.from({ length: 2_000 }, () => pod))],
  ["other fields that are no texts", "drain", { ...drain(pod), more: {}, warned: {} }],
])("a node with %s in its annotation %s stops neither its pool nor the operator", (_, name, value) => {
  const members = new Members();
  members.use([pool]);
  const pass = (state: string): string[] => {
    const tampered = node("a", state, "r-2", { [ownAnnotations[name]]: JSON.stringify(value) });
    const nodes = members.of("worker", [tampered, node("b", "Done", "r-1")]);
    const { changes, status } = decidePool({ pool, nodes, now });
    expect(JSON.stringify(status).length).toBeLessThan(10_000);
    // eslint-disable-next-line no-control-regex
    expect(status?.conditions?.map(({ message }) => message).join("")).not.toMatch(/[\u0000-\u001F]/);
    expect(poolView({ pool, nodes, now }).nodes).toBe(2);
    expect(nodeWaits(tampered, [pool]).length).toBeLessThan(10);
    expect(decideDrain(judgeNode(tampered), now).type).toBe("drain");
    const told = changes.filter((change) => change.annotations[annotations.desiredConfig] === "r-2");
    return told.map(({ node: { metadata } }) => metadata.name ?? "");
  };
  const hasFailed = JSON.stringify(value).includes("stuckIn");
  expect(pass("Working")).toEqual(hasFailed ? [] : ["b"]);
  expect(pass("Degraded")).toEqual([]);
});
