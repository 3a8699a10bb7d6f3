import { describe, expect, it } from "vitest";
import type { KubeObject } from "../../../language/object/meta.ts";
import { type ClusterNode, readClusterNode, readPool } from "./cluster-node.ts";
import { type Cluster, groupNodes } from "./node-groups.ts";

const role = (name: string): string => `node-role.kubernetes.io/${name}`;
const masters = pool("master", { matchLabels: { [role("master")]: "" } });
const workers = pool("worker", { matchLabels: { [role("worker")]: "" } });
const realtime = pool("rt", { matchLabels: { [role("rt")]: "" } });
const storage = pool("storage", { matchLabels: { [role("storage")]: "" } });

describe("nodes of a pool", () => {
  it.each<[string, ClusterNode[], Record<string, string[]>, string[]]>([
    [
      "are those that it configures: a custom pool goes before worker, master before worker",
      [node("a", ["worker", "rt"]), node("b", ["worker"]), node("c", ["master", "worker"]), node("d", [])],
      { master: ["c"], rt: ["a"], storage: [], worker: ["b"] },
      [],
    ],
    [
      "are none that two custom pools claim",
      [node("a", ["rt", "storage"])],
      { master: [], rt: [], storage: [], worker: [] },
      ["node a is left out: pools rt and storage both select it"],
    ],
    [
      "are masters even if a custom pool claims them",
      [node("a", ["master", "rt"])],
      { master: ["a"], rt: [], storage: [], worker: [] },
      ["node a belongs to pool master, although pool rt selects it too"],
    ],
    [
      "are none that the pool's own taint keeps free of work",
      [
        node("a", ["master"], { key: role("master"), value: "", effect: "NoSchedule" }),
        node("b", ["master"], { key: role("master"), value: "", effect: "PreferNoSchedule" }),
        node("c", ["master"], { key: role("other"), value: "", effect: "NoSchedule" }),
      ],
      { master: ["b", "c"], rt: [], storage: [], worker: [] },
      ["node a is left out of pool master: its taint node-role.kubernetes.io/master keeps pods away"],
    ],
    [
      "run Linux",
      [{ ...node("a", ["worker"]), labels: { [role("worker")]: "", "kubernetes.io/os": "windows" } }],
      { master: [], rt: [], storage: [], worker: [] },
      [],
    ],
  ])("%s", (_, nodes, members, notes) => {
    const grouped = groupNodes({ nodes, pools: [workers, storage, realtime, masters], hosted: false });
    expect(membersOf(grouped)).toEqual(members);
    expect(grouped.notes.map(({ message }) => message)).toEqual(notes);
  });

  it("are none if the selector is empty or invalid, without effect on other pools", () => {
    const odd = pool("odd", { matchExpressions: [{ key: "a", operator: "Near" }] });
    const nodes = [node("a", ["worker"])];
    const grouped = groupNodes({ nodes, pools: [odd, pool("all", {}), pool("none", null), workers], hosted: false });
    expect(membersOf(grouped)).toEqual({ all: [], none: [], odd: [], worker: ["a"] });
    expect(grouped.notes).toEqual([
      { about: [], message: expect.stringContaining("MachineConfigPool odd nodeSelector") },
    ]);
  });
});

describe("where there are no pools, nodes", () => {
  const labelled = (labels: Record<string, string>): Cluster["nodes"] => [{ name: "a", labels, taints: [] }];

  it("of a hosted cluster are grouped by their node pool", () => {
    const nodes = labelled({ "hypershift.openshift.io/nodePool": "np-1", [role("worker")]: "" });
    expect(groupNodes({ nodes, pools: [workers], hosted: true }).groups).toEqual([
      { name: "np-1", type: "node pool", nodes },
    ]);
  });

  it.each([{}, { pools: [] }])("are grouped by their roles: %j", (without) => {
    const nodes = labelled({ [role("worker")]: "", [role("rt")]: "yes", "node-role.kubernetes.io/": "", x: "" });
    expect(groupNodes({ nodes, hosted: false, ...without }).groups.map(({ name, type }) => `${type} ${name}`)).toEqual([
      "role rt",
      "role worker",
    ]);
  });
});

describe("objects from support data", () => {
  it("are read without their invalid parts", () => {
    const odd = {
      apiVersion: "v1",
      kind: "Node",
      metadata: {
        name: "a",
        labels: JSON.parse('{ "a": 1, "__proto__": "x", "constructor": "y", "b": "\\u001b[2J" }'),
      },
      spec: { taints: [null, "x", { key: "k", effect: 3 }] },
      status: { capacity: { cpu: "many" }, nodeInfo: [] },
    } as unknown as KubeObject;
    const read = readClusterNode(odd);
    expect(Object.entries(read.labels)).toEqual([["constructor", "y"]]);
    expect(read.taints).toEqual([
      { key: "", value: "", effect: "" },
      { key: "", value: "", effect: "" },
      { key: "k", value: "", effect: "" },
    ]);
    expect(read).not.toHaveProperty("cpus");
    const pools = [3, "x", [], { matchLabels: { a: 7 } }, { matchExpressions: [null, { values: [4] }] }].map((one) =>
      pool("p", one),
    );
    for (const one of pools)
      expect(groupNodes({ nodes: [read], pools: [one], hosted: false }).groups[0]?.nodes).toEqual([]);
  });
});

function node(name: string, roles: readonly string[], ...taints: ClusterNode["taints"][number][]): ClusterNode {
  return { name, labels: Object.fromEntries(roles.map((one) => [role(one), ""])), taints };
}

function pool(name: string, nodeSelector: unknown): ReturnType<typeof readPool> {
  return readPool({ apiVersion: "", kind: "", metadata: { name }, spec: { nodeSelector } });
}

function membersOf({ groups }: ReturnType<typeof groupNodes>): Record<string, string[]> {
  return Object.fromEntries(groups.map(({ name, nodes }) => [name, nodes.map((one) => one.name)]));
}
