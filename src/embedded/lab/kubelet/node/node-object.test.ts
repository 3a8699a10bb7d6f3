import { expect, test } from "vitest";
import { machineBase, smallMachine } from "../../machine-base.ts";
import { adminLabels, nodeStatus, kubeletLabels } from "./node-object.ts";
import { VirtualNode } from "./virtual-node.ts";

const base = machineBase(smallMachine);

test.each([
  ["example.com/x", true],
  ["x", true],
  ["topology.kubernetes.io/zone", true],
  ["kubelet.kubernetes.io/x", true],
  ["a.node.kubernetes.io/x", true],
  ["node-role.kubernetes.io/worker", false],
  ["node-restriction.kubernetes.io/x", false],
  ["k8s.io/x", false],
  ["notkubernetes.io/x", true],
])("whether a kubelet may set the label %s: %s", (key, own) => {
  const node = new VirtualNode({ name: "n", topology: smallMachine, base, labels: { [key]: "v" } });
  expect(key in kubeletLabels(node)).toBe(own);
  expect(adminLabels(node)).toEqual(own ? [] : [[key, "v"]]);
});

test("memory in huge pages is not allocatable as memory", () => {
  const topology = { ...smallMachine, hugepages: new Map([[2048, 1024]]) };
  const node = new VirtualNode({ name: "n", topology, base, resources: { "hugepages-2Mi": "2Gi" } });
  const { capacity, allocatable } = nodeStatus(node, { port: 1, now: 0 });
  expect(capacity).toMatchObject({ cpu: "4", memory: "8388608Ki", "hugepages-2Mi": "2Gi" });
  expect(allocatable).toMatchObject({ cpu: "4", memory: "6291456Ki", "hugepages-2Mi": "2Gi" });
});
