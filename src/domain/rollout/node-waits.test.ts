import { expect, test } from "vitest";
import { apiVersion, type MachineConfigPool } from "../machine-config/api.ts";
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

function pool(name: string, more: MachineConfigPool["spec"] = {}, message?: string): MachineConfigPool {
  return {
    apiVersion,
    kind: "MachineConfigPool",
    metadata: { name },
    spec: { nodeSelector: { matchLabels: { [name]: "" } }, configuration: { name: "r-2" }, ...more },
    ...(message ? { status: { conditions: [{ type: "RolloutBlocked", status: "True", reason: "", message }] } } : {}),
  };
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
    ["pod a/web: PodDisruptionBudget a/budget allows no further disruption"],
  ],
  [
    "is in a paused pool",
    node(has("r-1")),
    [pool("worker", { paused: true })],
    ["pool worker is paused: it does not get r-2"],
  ],
  [
    "was cordoned by hand",
    node(has("r-1"), { isCordoned: true }),
    [pool("worker")],
    ["was cordoned by another client and does not get r-2: kubectl uncordon n"],
  ],
  ["is not told yet", node(has("r-1")), [pool("worker")], ["its turn in pool worker to get r-2 has not come"]],
  [
    "is not told because of another",
    node(has("r-1")),
    [pool("worker", {}, "node m has failed")],
    ["its turn in pool worker to get r-2 has not come: node m has failed"],
  ],
  [
    "is in two custom pools",
    node(has("r-1"), { labels: ["a", "b"] }),
    [pool("a"), pool("b")],
    ["selected by the custom pools a and b: change its labels so that only one of them selects it"],
  ],
])("a node that %s", (_, of, pools, texts) => {
  expect(nodeWaits(of, pools)).toEqual(texts);
});
