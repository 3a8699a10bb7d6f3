import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { hashOf } from "../../../language/object/hash.ts";
import { deepFreeze } from "../../../language/object/json.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { protocols } from "../../hosted/protocol.ts";
import { type HostedCluster, hostedClusterKind, type NodePool, nodePoolKind } from "../../node-pool/api.ts";
import type { PlannedWrite } from "../change-plan.ts";
import { type ManagementState, type NodePoolChanges, nodePoolChanges } from "./node-pool-changes.ts";

const namespace = "clusters";

function nodePool(name: string, spec: NodePool["spec"] = {}): NodePool {
  const { apiVersion, kind } = nodePoolKind;
  const given = { clusterName: "demo", replicas: 3, tuningConfig: [{ name: "fast" }], ...spec };
  return { apiVersion, kind, metadata: { name, namespace, creationTimestamp: name }, spec: given };
}

const hostedCluster: HostedCluster = {
  apiVersion: hostedClusterKind.apiVersion,
  kind: hostedClusterKind.kind,
  metadata: { name: "demo", namespace },
  spec: { release: { image: "release:4.22.0" } },
};

const profile: PlannedWrite = {
  place: "f.yaml",
  after: {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "fast", namespace },
    data: {
      tuning: `apiVersion: performance.openshift.io/v2
kind: PerformanceProfile
metadata: {name: fast}
spec: {cpu: {reserved: "0", isolated: 1-3}, nodeSelector: {node-role.kubernetes.io/worker: ""}}
`,
    },
  },
};

function planned(protocol: keyof typeof protocols, ...nodePools: NodePool[]): NodePoolChanges {
  const state: ManagementState = {
    nodePools,
    hostedClusters: [hostedCluster],
    configMaps: [],
    protocol: protocols[protocol],
    version: "1",
    now: 0,
    digest: (parts) => hashOf([...parts].map(String)),
    compress: (bytes) => gzipSync(bytes),
  };
  return nodePoolChanges({ writes: [profile], removals: [] }, deepFreeze(state));
}

test.each(["documented", "shipped"] as const)("a first profile reaches a NodePool in the %s column", (protocol) => {
  const { objects, nodePools, findings } = planned(protocol, nodePool("a", { management: { upgradeType: "InPlace" } }));
  expect(findings).toEqual([]);
  expect(objects.map(({ kind, change }) => `${kind} ${change}`).toSorted()).toEqual([
    "KubeletConfig create",
    "MachineConfig create",
    "MachineConfig create",
    "PerformanceProfile create",
    "Tuned create",
  ]);
  const [{ rollout, tuning, nodes } = {}] = nodePools;
  expect([nodes, tuning?.after, rollout?.level, rollout?.atOnce]).toEqual([
    3,
    "openshift-node-performance-fast",
    "reboot",
    1,
  ]);
  const isolation = rollout?.contents.filter(({ name }) => name.startsWith("isolcpus="));
  expect(isolation).toEqual([{ type: "boot argument", name: "isolcpus=managed_irq,1-3", change: "add" }]);
});

test("NodePools that share a ConfigMap are each planned, and one whose hash is taken is refused", () => {
  const { nodePools, findings } = planned("documented", nodePool("liquid"), nodePool("costarring"), nodePool("b"));
  // By their names `costarring` is the older.
  expect(nodePools.map((one) => [one.nodePool, one.rollout?.upgradeType])).toEqual([
    ["clusters/liquid", undefined],
    ["clusters/costarring", "Replace"],
    ["clusters/b", "Replace"],
  ]);
  expect(findings.map(({ about, message }) => `${about}: ${message}`)).toEqual([
    expect.stringMatching(
      /^NodePool clusters\/liquid: refused: the name of the NodePool has the hash of that of NodePool costarring/,
    ),
  ]);
});

test("a hosted cluster whose nodes are not tuned gets nothing", () => {
  const off = { ...hostedCluster, spec: { ...hostedCluster.spec, capabilities: { disabled: ["NodeTuning"] } } };
  const writes = [profile, { place: "f.yaml", before: hostedCluster, after: off as KubeObject }];
  const state = {
    nodePools: [nodePool("a")],
    hostedClusters: [hostedCluster],
    configMaps: [],
    protocol: protocols.documented,
    version: "1",
    now: 0,
    digest: (parts: Iterable<Uint8Array>) => hashOf([...parts].map(String)),
    compress: (bytes: Uint8Array) => gzipSync(bytes),
  };
  const { objects, nodePools } = nodePoolChanges({ writes, removals: [] }, state);
  expect([objects, nodePools.map(({ tuning, rollout }) => [tuning, rollout])]).toEqual([[], [[undefined, undefined]]]);
});
