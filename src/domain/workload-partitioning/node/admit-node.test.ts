import { describe, expect, it } from "vitest";
import { partitioned, reviewOf } from "../testing/review.ts";
import type { PartitioningView } from "../view.ts";
import { admitNode } from "./admit-node.ts";

const resource = "management.workload.openshift.io/cores";
const cores = { [resource]: "8k" };
const node = (status: object) => ({ apiVersion: "v1", kind: "Node", metadata: { name: "new" }, status });
const joining = (status: object, view: Partial<PartitioningView>) =>
  admitNode(reviewOf(node(status), "documented", { view: { ...partitioned, ...view } }));

describe("a node that joins a single-node cluster older than the identifier", () => {
  const topology = { controlPlaneTopology: "SingleReplica", infrastructureTopology: "SingleReplica" };
  const identifier = { state: "known", mode: "None", ...topology } as const;
  const reporting = { name: "first", capacity: cores, allocatable: cores };

  it("must have cores if the node that is there has them", () => {
    expect(joining({}, { identifier, nodes: [reporting] }).problems.map(({ code }) => code)).toEqual([
      "node-capacity-missing",
      "node-allocatable-missing",
    ]);
    expect(joining({ capacity: cores, allocatable: cores }, { identifier, nodes: [reporting] }).rule).toBe(
      "node-has-cores",
    );
  });

  it.each([
    ["is the first one", []],
    ["finds one without", [{ name: "first", capacity: {}, allocatable: {} }]],
    ["finds one with none left", [{ name: "first", capacity: cores, allocatable: { ...cores, [resource]: "0" } }]],
  ])("needs none if it %s", (_, nodes) => {
    expect(joining({}, { identifier, nodes }).rule).toBe("node-not-checked");
  });

  it("needs none in a cluster with several control plane nodes", () => {
    const several = { ...identifier, controlPlaneTopology: "HighlyAvailable" };
    expect(joining({}, { identifier: several, nodes: [reporting] }).rule).toBe("node-not-checked");
  });
});

it("lets nodes join without cores where the agent gives them cores", () => {
  expect(joining({}, { coresFrom: "agent" }).rule).toBe("node-not-checked");
  expect(joining({}, {}).type).toBe("refused");
});

it("says once which file the kubelet needs", () => {
  const told = joining({}, {}).problems.map(({ message }) =>
    message.includes("/etc/kubernetes/openshift-workload-pinning"),
  );
  expect(told).toEqual([true, false]);
  const [only] = joining({ capacity: cores }, {}).problems;
  expect(only?.message).toContain("/etc/kubernetes/openshift-workload-pinning");
});

it("lets a node without cores be drained", () => {
  expect(admitNode(reviewOf(node({}), "documented", { operation: "UPDATE" })).rule).toBe("not-reviewed");
  expect(admitNode(reviewOf(node({}), "current", { operation: "UPDATE" })).type).toBe("refused");
});
