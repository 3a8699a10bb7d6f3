import { describe, expect, it } from "vitest";
import type { Placement, ScyllaNodeConfig } from "./api.ts";
import { scyllaNodeConfigKind } from "./api.ts";
import { agentTolerations, configOfNode, configsOfNode, isEnabled, type PlacedNode, selectsNode } from "./placement.ts";

const { apiVersion, kind } = scyllaNodeConfigKind;

function node(labels: Record<string, string> = {}, ...taints: { key: string; effect: string }[]): PlacedNode {
  return { apiVersion: "v1", kind: "Node", metadata: { name: "node-1", labels }, spec: { taints } };
}

function config(name: string, creationTimestamp: string, more: Partial<ScyllaNodeConfig> = {}): ScyllaNodeConfig {
  return { apiVersion, kind, ...more, metadata: { name, creationTimestamp, ...more.metadata } };
}

const lastYear = "2025-01-01T00:00:00Z";
const today = "2026-01-01T00:00:00Z";

describe("a placement", () => {
  it.each<[string, Placement]>([
    ["null", { nodeSelector: null, tolerations: null, affinity: null }],
    ["nothing", {}],
    ["empty objects and lists", { nodeSelector: {}, tolerations: [], affinity: {} }],
  ])("of %s selects every node without taints", (_, placement) => {
    expect(selectsNode(placement, node())).toBe(true);
    expect(selectsNode(placement, node({}, { key: "a", effect: "NoSchedule" }))).toBe(false);
  });

  it.each<[string, string]>([
    ["node.kubernetes.io/unschedulable", "NoSchedule"],
    ["node.kubernetes.io/not-ready", "NoExecute"],
    ["node.kubernetes.io/not-ready", "NoSchedule"],
    ["node.kubernetes.io/unreachable", "NoExecute"],
    ["node.kubernetes.io/unreachable", "NoSchedule"],
    ["node.kubernetes.io/memory-pressure", "NoSchedule"],
    ["node.kubernetes.io/disk-pressure", "NoSchedule"],
    ["node.kubernetes.io/pid-pressure", "NoSchedule"],
    ["node.kubernetes.io/network-unavailable", "NoSchedule"],
    ["rollout.attune.dev/not-tuned", "NoSchedule"],
  ])("keeps a node that has %s:%s for a while: its databases stay there (weak point 12)", (key, effect) => {
    expect(selectsNode({}, node({}, { key, effect }))).toBe(true);
  });

  it("selects a node by its name", () => {
    const named = (name: string): Placement => ({
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchFields: [{ key: "metadata.name", operator: "In", values: [name] }] }],
          },
        },
      },
    });
    expect(selectsNode(named("node-1"), node())).toBe(true);
    expect(selectsNode(named("node-2"), node())).toBe(false);
  });

  it.each(["Near", "Gt"])(
    "with an affinity that cannot be read, such as %s without a number, selects no node",
    (operator) => {
      const nodeSelectorTerms = [{ matchExpressions: [{ key: "a", operator, values: ["b"] }] }];
      const required = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } };
      expect(selectsNode({ affinity: { nodeAffinity: required } }, node({ a: "b" }))).toBe(false);
    },
  );

  it("passes its own tolerations to agents, with those of taints that come and go", () => {
    const own = { key: "dedicated", operator: "Exists", effect: "NoSchedule" };
    expect(agentTolerations({ tolerations: [own] })[0]).toEqual(own);
    expect(agentTolerations({ tolerations: null }).map(({ key }) => key)).toEqual([
      "node.kubernetes.io/not-ready",
      "node.kubernetes.io/unreachable",
      "rollout.attune.dev/not-tuned",
    ]);
  });
});

describe("of several configs that select a node", () => {
  it("the oldest decides, whatever their order", () => {
    const configs = [config("b", today), config("c", lastYear), config("a", today)];
    for (const some of [configs, configs.toReversed()]) {
      expect(configOfNode(node(), some)?.metadata.name).toBe("c");
      expect(configsOfNode(node(), some).map(({ metadata }) => metadata.name)).toEqual(["c", "a", "b"]);
    }
  });

  it("one with optimizations disabled decides as well: its nodes are left as they are", () => {
    const disabled = config("old", lastYear, { spec: { disableOptimizations: true } });
    expect(configOfNode(node(), [config("new", today), disabled])).toBe(disabled);
    expect(isEnabled(disabled)).toBe(false);
  });

  it("one that is being deleted does not count", () => {
    const leaving = config("old", lastYear, { metadata: { deletionTimestamp: today, creationTimestamp: lastYear } });
    expect(configOfNode(node(), [leaving, config("new", today)])?.metadata.name).toBe("new");
    expect(isEnabled(leaving)).toBe(false);
  });

  it("one that does not select the node does not count", () => {
    const elsewhere = config("old", lastYear, { spec: { placement: { nodeSelector: { zone: "a" } } } });
    expect(configOfNode(node({ zone: "b" }), [elsewhere, config("new", today)])?.metadata.name).toBe("new");
    expect(configOfNode(node({ zone: "b" }), [elsewhere])).toBeUndefined();
  });
});
