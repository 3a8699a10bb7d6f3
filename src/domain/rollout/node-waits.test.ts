import { expect, test } from "vitest";
import { apiVersion, type MachineConfigPool } from "../machine-config/api.ts";
import { heldAnnotation } from "./held.ts";
import { annotations, ownAnnotations } from "./node-annotations.ts";
import { nodeWaits } from "./node-waits.ts";
import type { RolloutNode } from "./rollout-node.ts";

const has = (current: string, desired = current): Record<string, string> => ({
  [annotations.currentConfig]: current,
  [annotations.desiredConfig]: desired,
  [annotations.state]: current === desired ? "Done" : "Working",
});
const drain = {
  request: "drain-r-2",
  since: "2026-01-01T00:00:00Z",
  blocked: [{ pod: "a/web", budgets: ["a/budget"], message: "" }],
};

const held = {
  rendering: "r-3",
  since: "2026-01-01T00:00:00Z",
  waitsFor: "boot arguments of nodes",
  nodes: ["m"],
};

function pool(name: string, more: MachineConfigPool["spec"] = {}, message?: string, type = "RolloutBlocked") {
  return {
    apiVersion,
    kind: "MachineConfigPool",
    metadata: { name },
    spec: { nodeSelector: { matchLabels: { [name]: "" } }, configuration: { name: "r-2" }, ...more },
    ...(message ? { status: { conditions: [{ type, status: "True" as const, reason: "", message }] } } : {}),
  } satisfies MachineConfigPool;
}

function holding(one: MachineConfigPool): MachineConfigPool {
  return { ...one, metadata: { ...one.metadata, annotations: { [heldAnnotation]: JSON.stringify(held) } } };
}

function node(written: Record<string, string>, { labels = ["worker"], isCordoned = false } = {}): RolloutNode {
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: "n", labels: Object.fromEntries(labels.map((label) => [label, ""])), annotations: written },
    spec: { unschedulable: isCordoned },
    status: { conditions: [{ type: "Ready", status: "True" }] },
  };
}

test.each<[string, RolloutNode, MachineConfigPool[], string[]]>([
  ["is done", node(has("r-2")), [pool("worker")], []],
  ["is in no pool, and no config is for it", node({}, { labels: [] }), [pool("worker", { configuration: {} })], []],
  [
    "is in no pool",
    node({}, { labels: [] }),
    [pool("worker")],
    ["1 node is in no pool and gets no MachineConfig: n. To add one to pool worker: kubectl label node n worker="],
  ],
  [
    "is drained",
    node({ ...has("r-1", "r-2"), [ownAnnotations.drain]: JSON.stringify(drain) }),
    [pool("worker")],
    [
      "pod a/web: PodDisruptionBudget a/budget allows no further disruption",
      "change the budget or delete the pods to let the drain go on",
    ],
  ],
  [
    "is in a paused pool",
    node(has("r-1")),
    [pool("worker", { paused: true })],
    ["pool worker is paused: the node gets r-2 when spec.paused is false"],
  ],
  [
    "was cordoned by hand",
    node(has("r-1"), { isCordoned: true }),
    [pool("worker")],
    ["another client cordoned the node: it gets r-2 after kubectl uncordon n"],
  ],
  [
    "is not ready",
    { ...node(has("r-1")), status: { conditions: [{ type: "Ready", status: "Unknown" }] } },
    [pool("worker")],
    ["the node is not ready (Ready=Unknown): it gets r-2 when it is ready"],
  ],
  [
    "is on the way to a config that the pool had before",
    node(has("r-0", "r-1")),
    [pool("worker")],
    ["the node finishes its update to r-1 first: then it gets r-2"],
  ],
  [
    "is not told yet",
    node(has("r-1")),
    [pool("worker")],
    ["other nodes of pool worker are updated first: then it gets r-2"],
  ],
  [
    "is not told because of another",
    node(has("r-1")),
    [pool("worker", {}, "node m has failed")],
    ["pool worker cannot go on to give it r-2: node m has failed"],
  ],
  [
    "has all that its pool could render",
    node(has("r-2")),
    [
      pool(
        "worker",
        {},
        "Failed to render configuration for pool worker: MachineConfig bad spec.x: no",
        "RenderDegraded",
      ),
    ],
    ["pool worker gets no other config until this is corrected: MachineConfig bad spec.x: no"],
  ],
  [
    "was cordoned by hand in a pool that cannot be rendered",
    node(has("r-1"), { isCordoned: true }),
    [
      pool(
        "worker",
        {},
        "Failed to render configuration for pool worker: MachineConfig bad spec.x: no",
        "RenderDegraded",
      ),
    ],
    [
      "another client cordoned the node: it gets r-2 after kubectl uncordon n",
      "pool worker gets no other config until this is corrected: MachineConfig bad spec.x: no",
    ],
  ],
  [
    "waits for a config that is held",
    node(has("r-2")),
    [holding(pool("worker"))],
    [
      "pool worker: MachineConfig r-3 waits for boot arguments of nodes: m (since 2026-01-01T00:00:00Z, at most five minutes)",
    ],
  ],
  [
    "is in two custom pools",
    node(has("r-1"), { labels: ["a", "b"] }),
    [pool("a"), pool("b")],
    [
      "no pool configures it: selected by the custom pools a and b: change its labels so that only one of them selects it",
    ],
  ],
])("a node that %s", (_, of, pools, texts) => {
  expect(nodeWaits(of, pools)).toEqual(texts);
});
