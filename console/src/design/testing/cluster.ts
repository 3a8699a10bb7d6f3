import { defaultTuned } from "../../../../src/domain/node-tuning/default-tuned.ts";
import { apiVersion as tuningVersion, tuningNamespace } from "../../../../src/domain/node-tuning/api.ts";
import { defaultPools } from "../../../../src/domain/performance-profile/pools.ts";
import { formatTopology } from "../../../../src/language/cpu/topology-text.ts";
import type { KubeObject } from "../../../../src/language/object/meta.ts";
import { machine } from "../../cpu-map/testing/machine.ts";
import type { DesignCluster } from "../cluster-objects.ts";

const group = "machineconfiguration.openshift.io";
export const cnfLabel = "node-role.kubernetes.io/worker-cnf";
export const topology = machine({ sockets: 2, cores: 8, threads: 2 });

/** Pools master, worker and worker-cnf; three nodes of the latter have hardware of 32 CPUs. */
export function exampleCluster(): DesignCluster {
  const worker = { "node-role.kubernetes.io/worker": "", "kubernetes.io/os": "linux" };
  const names = ["cnf-0", "cnf-1", "cnf-2"];
  const nodes = [...names.map((name) => node(name, { ...worker, [cnfLabel]: "" })), node("plain-0", worker)];
  return {
    objects: [
      ...defaultPools([]),
      cnfPool,
      ...nodes,
      ...nodes.map(({ metadata }) => profile(metadata.name ?? "")),
      defaultTuned(tuningNamespace),
      tuned("quiet", "[sysctl]\nvm.swappiness=10\n[bootloader]\ncmdline=+quiet\n"),
      machineConfig("99-secret", "worker", [file("/etc/secret", "do-not-send")]),
      machineConfig("50-workloads", "worker-cnf", [
        file("/etc/crio/crio.conf.d/10-other.conf", '[crio.runtime.workloads.management]\nsecret = "do-not-send"\n'),
      ]),
      performanceProfile({ cpu: { reserved: "0", isolated: "1" }, nodeSelector: { other: "" } }, "other"),
    ],
    hasPools: true,
    rollsOut: true,
    version: "1",
    now: "2026-01-01T00:00:00Z",
  };
}

export function performanceProfile(spec: object, name = "latency"): KubeObject {
  return {
    apiVersion: "performance.openshift.io/v2",
    kind: "PerformanceProfile",
    metadata: { name },
    spec,
  };
}

const cnfPool = {
  apiVersion: `${group}/v1`,
  kind: "MachineConfigPool",
  metadata: { name: "worker-cnf", labels: { [`${group}/role`]: "worker-cnf" } },
  spec: {
    nodeSelector: { matchLabels: { [cnfLabel]: "" } },
    machineConfigSelector: {
      matchExpressions: [{ key: `${group}/role`, operator: "In", values: ["worker", "worker-cnf"] }],
    },
    maxUnavailable: 1,
  },
};

function node(name: string, labels: Record<string, string>): KubeObject {
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, uid: `uid-${name}`, labels, managedFields: [{ manager: "kubelet" }] },
    spec: { providerID: `lab://${name}` },
    status: {
      capacity: { cpu: "32", memory: "16777216Ki" },
      nodeInfo: { architecture: "amd64", kernelVersion: "6.12.0", containerRuntimeVersion: "cri-o://1.33.0" },
      conditions: [{ type: "Ready", status: "True", lastHeartbeatTime: "2026-01-01T00:00:00Z" }],
      images: [{ names: ["do-not-send"] }],
    },
  };
}

function profile(name: string): KubeObject {
  return {
    apiVersion: tuningVersion,
    kind: "Profile",
    metadata: { name, namespace: tuningNamespace, uid: `profile-${name}`, generation: 1 },
    spec: { config: { tunedProfile: "openshift-node" }, profile: [] },
    status: {
      tunedProfile: "openshift-node",
      observedGeneration: 1,
      conditions: [
        { type: "Applied", status: "True" },
        { type: "Degraded", status: "False" },
      ],
      hardware: { architecture: "amd64", vendor: "GenuineIntel", ...formatTopology(topology) },
      settings: [{ unit: "sysctl", option: "vm.swappiness", state: "as wanted" }],
    },
  };
}

function tuned(name: string, data: string): KubeObject {
  return {
    apiVersion: tuningVersion,
    kind: "Tuned",
    metadata: { name, namespace: tuningNamespace },
    spec: {
      profile: [{ name, data: `[main]\nsummary=Quiet\ninclude=openshift-node\n${data}` }],
      recommend: [{ profile: name, priority: 30, machineConfigLabels: { [`${group}/role`]: "worker-cnf" } }],
    },
  };
}

function machineConfig(name: string, role: string, files: readonly object[]): KubeObject {
  return {
    apiVersion: `${group}/v1`,
    kind: "MachineConfig",
    metadata: { name, labels: { [`${group}/role`]: role } },
    spec: { config: { ignition: { version: "3.2.0" }, storage: { files } } },
  };
}

function file(path: string, text: string): object {
  return { path, mode: 420, contents: { source: `data:,${encodeURIComponent(text)}` } };
}
