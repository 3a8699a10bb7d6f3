import { expect, test } from "vitest";
import { forgetRollouts } from "./leave-pools.ts";
import { annotations, ownAnnotations } from "./node-annotations.ts";
import { conflictCondition, type RolloutNode } from "./rollout-node.ts";

const taint = { key: "UpdateInProgress", effect: "PreferNoSchedule" };

function node(written: Record<string, string>): RolloutNode {
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: "n", annotations: written },
    spec: { unschedulable: true, taints: [taint] },
    status: { conditions: [{ type: conflictCondition, status: "True" }] },
  };
}

test("beside a machine config operator only annotations that Attune alone knows are removed", () => {
  const of = node({ [annotations.desiredConfig]: "rendered-worker-1", [ownAnnotations.progress]: "{}" });
  expect(forgetRollouts(of, false)).toEqual({ node: of, annotations: { [ownAnnotations.progress]: null } });
});

test("a node that no rollout has changed is not written", () => {
  const { metadata } = node({ "example.com/own": "x", [annotations.currentImage]: "x" });
  expect(forgetRollouts({ apiVersion: "v1", kind: "Node", metadata }, true)).toBeUndefined();
});
