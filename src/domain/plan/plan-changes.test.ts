import { describe, expect, it } from "vitest";
import { hashOf } from "../../language/object/hash.ts";
import { defaultPolicy } from "../machine-config/cost/disruption-policy.ts";
import { deepFreeze } from "../../language/object/json.ts";
import type { KubeObject } from "../../language/object/meta.ts";
import type { MachineConfig, MachineConfigPool } from "../machine-config/api.ts";
import { apiVersion, tuningNamespace as namespace } from "../node-tuning/api.ts";
import { apiVersion as performanceVersion } from "../performance-profile/api.ts";
import { type ClusterState, planChanges, type PlanResult } from "./plan-changes.ts";

const role = "node-role.kubernetes.io/rt";
const pool: MachineConfigPool = {
  apiVersion: "machineconfiguration.openshift.io/v1",
  kind: "MachineConfigPool",
  metadata: { name: "rt", labels: { pool: "rt" } },
  spec: {
    nodeSelector: { matchLabels: { [role]: "" } },
    machineConfigSelector: { matchLabels: { "machineconfiguration.openshift.io/role": "rt" } },
  },
};

/** What every node of the pool has. */
const base: MachineConfig = {
  apiVersion: pool.apiVersion,
  kind: "MachineConfig",
  metadata: { name: "00-rt", labels: { "machineconfiguration.openshift.io/role": "rt" } },
  spec: { config: { ignition: { version: "3.4.0" } } },
};

function node(name: string, labels: Record<string, string> = {}): KubeObject {
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, labels: { "kubernetes.io/os": "linux", ...labels } },
    status: { capacity: { cpu: "4" }, nodeInfo: { architecture: "amd64" } },
  };
}

/** Its node has the config of its pool: what goes from there goes from the node. */
function settled(state: ClusterState): ClusterState {
  const name = "machineconfiguration.openshift.io/";
  const annotations = { [`${name}currentConfig`]: "rendered-rt-1", [`${name}desiredConfig`]: "rendered-rt-1" };
  const nodes = state.nodes.map((one) => ({ ...one, metadata: { ...one.metadata, annotations } }));
  return { ...state, nodes, tuning: { ...state.tuning, nodes } };
}

function cluster(pools: readonly MachineConfigPool[] | undefined, derived: readonly KubeObject[] = []): ClusterState {
  const nodes = [node("rt-1", { [role]: "" }), node("plain")];
  return {
    nodes,
    profiles: [],
    performanceProfiles: [],
    derived,
    rollout: pools && {
      kubeletConfigs: [],
      containerRuntimeConfigs: [],
      policy: defaultPolicy,
      blocked: [],
      isOurs: true,
      digest: (parts) => hashOf([...parts].map(String)),
    },
    tuning: {
      tuneds: [],
      nodes,
      profiles: [],
      pools,
      machineConfigs: pools && [],
      status: { type: "ConfigMap", observed: undefined },
      agent: { namespace, image: "", serviceAccount: "", release: "" },
      protocol: "documented",
      namespace,
      version: "1",
      now: "2026-01-01T00:00:00Z",
    },
  };
}

function tuned(text: string, place = namespace): KubeObject {
  return {
    apiVersion,
    kind: "Tuned",
    metadata: { name: "quiet", namespace: place },
    spec: { profile: [{ name: "quiet", data: text }], recommend: [{ profile: "quiet", priority: 1 }] },
  };
}

function lowLatency(isolated: string): KubeObject {
  return {
    apiVersion: performanceVersion,
    kind: "PerformanceProfile",
    metadata: { name: "low" },
    spec: { cpu: { reserved: "0", isolated }, nodeSelector: { [role]: "" } },
  };
}

function plan(after: KubeObject, state: ClusterState): PlanResult {
  return planChanges(deepFreeze({ writes: [{ place: "f.yaml", after }], cluster: state }));
}

describe("a plan", () => {
  it("has the objects that are written and what they do to nodes", () => {
    expect(plan(tuned("[sysctl]\nvm.swappiness=5\n"), cluster([pool]))).toMatchObject({
      type: "planned",
      plan: {
        nodes: 2,
        objects: [{ place: "f.yaml", kind: "Tuned", namespace, name: "quiet", change: "create" }],
        changes: [{ nodes: ["plain", "rt-1"], before: "openshift-node", after: "quiet" }],
        boot: [],
        pools: [],
        findings: [],
      },
    });
  });

  it("ignores a Tuned of another namespace, and says so", () => {
    expect(plan(tuned("", "elsewhere"), cluster([pool]))).toMatchObject({
      plan: {
        changes: [],
        findings: [
          {
            severity: "error",
            about: "Tuned quiet",
            message: `it is in namespace elsewhere: Tuneds outside namespace ${namespace} are ignored`,
          },
        ],
      },
    });
  });

  it("follows the labels of a written Node", () => {
    expect(plan(node("plain", { "node-role.kubernetes.io/control-plane": "" }), cluster([pool]))).toMatchObject({
      plan: { changes: [{ nodes: ["plain"], after: "openshift-control-plane" }] },
    });
  });

  it("has the objects derived from a PerformanceProfile, and the nodes that restart for them", () => {
    const there = { apiVersion: "node.k8s.io/v1", kind: "RuntimeClass", metadata: { name: "performance-low" } };
    const result = plan(lowLatency("1-3"), cluster([pool], [there]));
    expect(result).toMatchObject({
      plan: { pools: [{ pool: "rt", updates: [{ nodes: ["rt-1"], level: "reboot" }] }], boot: [{ pools: ["rt"] }] },
    });
    expect(result.type === "planned" && result.plan.objects.map(({ kind, change }) => `${change} ${kind}`)).toEqual([
      "create PerformanceProfile",
      "create Tuned",
      "create MachineConfig",
      "create KubeletConfig",
      "change RuntimeClass",
    ]);
  });

  it.each([
    ["KubeletConfig", { kubeletConfig: { maxPods: 5 } }, "restart"],
    ["ContainerRuntimeConfig", { containerRuntimeConfig: { pidsLimit: 2048 } }, "reboot"],
  ])("has a written %s, and what it costs nodes", (kind, settings, level) => {
    const spec = { machineConfigPoolSelector: { matchLabels: { pool: "rt" } }, ...settings };
    const after = { apiVersion: pool.apiVersion, kind, metadata: { name: "c" }, spec };
    expect(planChanges({ writes: [{ place: "f.yaml", after }], cluster: cluster([pool]) })).toMatchObject({
      plan: {
        pools: [
          { pool: "rt", objects: [{ kind, name: "c", change: "create" }], updates: [{ nodes: ["rt-1"], level }] },
        ],
      },
    });
  });

  it("says that a MachineConfig cannot be rendered, and that no node changes for it", () => {
    const machineConfig = {
      apiVersion: pool.apiVersion,
      kind: "MachineConfig",
      metadata: { name: "60-mode", labels: { "machineconfiguration.openshift.io/role": "rt" } },
      spec: {
        config: { ignition: { version: "3.4.0" }, storage: { files: [{ path: "/etc/x", mode: 99_999 }] } },
      },
    };
    const writes = [{ place: "f.yaml", after: machineConfig }];
    expect(planChanges({ writes, cluster: cluster([pool]) })).toMatchObject({
      plan: {
        pools: [],
        findings: [
          {
            severity: "error",
            about: "MachineConfig 60-mode",
            message: expect.stringMatching(
              /^spec\.config\.storage\.files\[0\]\.mode: .*99999.*; no node of rt changes until it is corrected$/,
            ),
          },
        ],
      },
    });
  });

  it("takes with a deleted PerformanceProfile what it owns, and gives its nodes back with a restart", () => {
    const profile = { ...lowLatency("1-3"), metadata: { name: "low", uid: "u" } };
    const owner = {
      apiVersion: performanceVersion,
      kind: "PerformanceProfile",
      name: "low",
      uid: "u",
      controller: true,
    };
    const owned = (kind: string, name: string, more: object): KubeObject => ({
      apiVersion: pool.apiVersion,
      kind,
      metadata: {
        name,
        namespace,
        ownerReferences: [owner],
        labels: { "machineconfiguration.openshift.io/role": "rt" },
      },
      ...more,
    });
    const spec = { kernelArguments: ["nosmt"], config: { ignition: { version: "3.4.0" } } };
    const empty = settled(cluster([pool], [owned("RuntimeClass", "performance-low", { handler: "high-performance" })]));
    const state = {
      ...empty,
      performanceProfiles: [profile],
      tuning: {
        ...empty.tuning,
        tuneds: [{ ...tuned("[sysctl]\nvm.swappiness=5\n"), metadata: owned("Tuned", "low-tuned", {}).metadata }],
        machineConfigs: [base, owned("MachineConfig", "50-performance-low", { spec })],
      },
    };
    const result = planChanges(
      deepFreeze({ writes: [], removals: [{ place: "f.yaml", object: profile }], cluster: state }),
    );
    expect(result).toMatchObject({
      plan: {
        changes: [{ before: "quiet", after: "openshift-node" }],
        pools: [
          {
            pool: "rt",
            objects: [{ kind: "MachineConfig", name: "50-performance-low", change: "delete" }],
            updates: [{ nodes: ["rt-1"], level: "reboot" }],
          },
        ],
      },
    });
    const objects = result.type === "planned" ? result.plan.objects : [];
    expect(objects.map(({ kind, change, derived = false }) => [change, kind, derived])).toEqual([
      ["delete", "PerformanceProfile", false],
      ["delete", "Tuned", true],
      ["delete", "MachineConfig", true],
      ["delete", "RuntimeClass", true],
    ]);
  });

  it.each([
    ["KubeletConfig", "kubeletConfigs", { kubeletConfig: { maxPods: 5 } }, "restart"],
    ["ContainerRuntimeConfig", "containerRuntimeConfigs", { containerRuntimeConfig: { pidsLimit: 2048 } }, "reboot"],
  ])("has a deleted %s, and what that costs nodes", (kind, list, settings, level) => {
    const spec = { machineConfigPoolSelector: { matchLabels: { pool: "rt" } }, ...settings };
    const object = { apiVersion: pool.apiVersion, kind, metadata: { name: "c" }, spec };
    const { rollout, tuning, ...rest } = settled(cluster([pool]));
    const state = {
      ...rest,
      tuning: { ...tuning, machineConfigs: [base] },
      rollout: rollout && { ...rollout, [list]: [object] },
    };
    expect(planChanges({ writes: [], removals: [{ place: "f.yaml", object }], cluster: state })).toMatchObject({
      plan: {
        objects: [{ kind, change: "delete" }],
        pools: [{ objects: [{ kind, name: "c", change: "delete" }], updates: [{ nodes: ["rt-1"], level }] }],
      },
    });
  });

  it("leaves out in a cluster without pools what only MachineConfigs make work", () => {
    const result = plan(lowLatency("1-3"), cluster(undefined));
    expect(result.type === "planned" && result.plan.objects.map(({ kind }) => kind)).toEqual([
      "PerformanceProfile",
      "Tuned",
    ]);
  });

  it("is refused with the errors for which the webhook would reject a profile", () => {
    expect(plan(lowLatency("0-3"), cluster([pool]))).toEqual({
      type: "refused",
      problems: [expect.stringMatching(/^f\.yaml: PerformanceProfile low: spec\.cpu\.isolated: /)],
    });
  });
});
