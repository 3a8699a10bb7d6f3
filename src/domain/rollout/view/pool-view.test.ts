import { describe, expect, it } from "vitest";
import { apiVersion, type MachineConfigPool } from "../../machine-config/api.ts";
import { heldAnnotation } from "../held.ts";
import { Members } from "../members.ts";
import { agentAnnotations, annotations, ownAnnotations } from "../node-annotations.ts";
import type { RolloutNode } from "../rollout-node.ts";
import { poolView, type PoolView } from "./pool-view.ts";
import { poolSentence, rolloutSentence } from "./rollout-sentence.ts";

const now = "2026-01-01T00:14:00Z";
const begun = "2026-01-01T00:00:00Z";

type Written = Partial<Record<keyof typeof annotations | keyof typeof ownAnnotations | "findings", string>>;
const names: Readonly<Record<string, string>> = { ...annotations, ...ownAnnotations, ...agentAnnotations };

function node(name: string, written: Written = {}, spec: RolloutNode["spec"] = {}): RolloutNode {
  const all = { currentConfig: "old", desiredConfig: "old", state: "Done", ...written };
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: {
      name,
      labels: { worker: "", "topology.kubernetes.io/zone": "b" },
      annotations: Object.fromEntries(Object.entries(all).map(([key, value]) => [names[key] ?? key, value])),
    },
    spec,
    status: { conditions: [{ type: "Ready", status: "True" }] },
  };
}

const updated = { currentConfig: "new", desiredConfig: "new" };
const draining = { desiredConfig: "new", state: "Working", desiredDrain: "drain-new", cordonedFor: "new" };
const progress = (phase: string, more: object = {}): string =>
  JSON.stringify({ config: "new", phase, since: begun, failures: 0, ...more });

function view(nodes: readonly RolloutNode[], spec: MachineConfigPool["spec"] = {}, held?: object): PoolView {
  const pool: MachineConfigPool = {
    apiVersion,
    kind: "MachineConfigPool",
    metadata: { name: "worker", ...(held ? { annotations: { [heldAnnotation]: JSON.stringify(held) } } : {}) },
    spec: { nodeSelector: { matchLabels: { worker: "" } }, configuration: { name: "new" }, ...spec },
  };
  const members = new Members();
  members.use([pool]);
  return poolView({ pool, nodes: members.of("worker", nodes), now });
}

const sentence = (seen: PoolView): string => poolSentence({ ...seen, name: "worker" });

describe("a pool as a person sees it", () => {
  it("names pods and disruption budgets of a drain that is blocked, and since when", () => {
    const drain = { request: "drain-new", since: begun, blocked: [{ pod: "db/a", budgets: ["db/b"], message: "no" }] };
    const blocked = { ...draining, drain: JSON.stringify(drain), progress: progress("Draining") };
    const seen = view([node("n1", updated), node("n2", blocked, { unschedulable: true }), node("n3")]);
    expect(seen).toMatchObject({ state: "waiting", nodes: 3, updated: 1, budget: 1, inUse: 1, failed: 0 });
    expect(seen.active).toEqual([
      {
        node: "n2",
        doing: "draining",
        since: begun,
        failsAt: "2026-01-01T01:00:00Z",
        steps: { cordon: "done", drain: "now", apply: "later", reboot: "later", verify: "later", uncordon: "later" },
        blocked: drain.blocked,
        more: 0,
      },
    ]);
    expect(seen.next).toEqual([{ node: "n3", zone: "b" }]);
    expect(sentence(seen)).toBe("worker: 1 of 3 updated; waits for 1 drain");
  });

  it.each<[string, Written, string, Partial<PoolView["active"][number]["steps"]>]>([
    ["told", { desiredConfig: "new" }, "told, its agent has not begun", { cordon: "later", uncordon: "later" }],
    [
      "working without a drain",
      { desiredConfig: "new", state: "Working" },
      "applying",
      { drain: "skipped", apply: "now" },
    ],
    [
      "restarting",
      { ...draining, lastAppliedDrain: "drain-new", postConfigAction: "Rebooting" },
      "rebooting",
      { drain: "done", apply: "done", reboot: "now" },
    ],
    [
      "back again",
      { ...draining, lastAppliedDrain: "drain-new", progress: progress("Working", { booted: true }) },
      "verifying",
      { reboot: "done", verify: "now" },
    ],
    [
      "done but for its cordon",
      { ...draining, desiredDrain: "uncordon-new" },
      "uncordoning",
      { cordon: "done", reboot: "skipped", verify: "done", uncordon: "now" },
    ],
    [
      "failed",
      { ...draining, lastAppliedDrain: "drain-new", state: "Degraded", reason: "no space" },
      "applying",
      { drain: "done", apply: "failed" },
    ],
  ])("shows the steps of a node that is %s", (_, written, doing, steps) => {
    const [active] = view([node("n", written, written.cordonedFor ? { unschedulable: true } : {})]).active;
    expect(active).toMatchObject({ doing, steps });
  });

  it("says of each node that is held back why, and what ends it", () => {
    const nodes = [
      node("a", {}, { unschedulable: true }),
      node("b", { desiredConfig: "new", state: "Degraded", reason: "no space" }),
      node("c"),
    ];
    const seen = view(nodes);
    expect(seen).toMatchObject({ state: "stopped", failed: 1 });
    expect(seen.held).toEqual([
      { node: "a", because: "cordoned by hand", command: "kubectl uncordon a" },
      { node: "b", because: "failed: no space", command: "kubectl describe node b" },
    ]);
    expect(sentence(seen)).toBe("worker: 0 of 3 updated; stopped, 1 node failed");
  });

  it("names nodes for whose boot arguments a rendering waits", () => {
    const held = { rendering: "newer", since: begun, waitsFor: "boot arguments of nodes", nodes: ["n2"] };
    const seen = view([node("n1", updated), node("n2", updated)], {}, held);
    expect(seen.state).toBe("waiting");
    expect(seen.held.map((one) => one.node)).toEqual(["n2"]);
    expect(sentence(seen)).toBe("worker: 2 of 2 updated; waits for boot arguments and objects of the same change");
  });

  it("that is paused and behind tells nobody, and says how many lack the config", () => {
    const seen = view([node("n1", updated), node("n2")], { paused: true });
    expect(seen).toMatchObject({ state: "paused", updated: 1, nextCount: 0 });
    expect(sentence(seen)).toBe("worker is paused: 1 of 2 nodes lacks what it should have");
    expect(rolloutSentence([{ ...seen, name: "worker" }])).toBe(sentence(seen));
  });

  it("never has more rows than a page shows, and counts the others", () => {
    const seen = view(
      Array.from({ length: 500 }, (_, at) => node(`n${at}`)),
      { maxUnavailable: 500 },
    );
    expect([seen.next.length, seen.nextCount]).toEqual([50, 500]);
  });
});
