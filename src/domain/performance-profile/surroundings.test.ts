import { describe, expect, it } from "vitest";
import { textFile } from "../../language/ignition/file-contents.ts";
import { ignitionConfig } from "../../language/ignition/config.ts";
import type { MachineConfigPool } from "../machine-config/api.ts";
import type { KubeObject, ObjectMeta } from "../../language/object/meta.ts";
import { type ClusterObjects, surroundingsOf } from "./surroundings.ts";
import {
  projectMachineConfig,
  projectNode,
  projectPerformanceProfile,
  projectPool,
  projectProfile,
} from "./projections.ts";

const rt = { "node-role.kubernetes.io/rt": "" };

function object(kind: string, name: string, rest: object = {}, metadata: ObjectMeta = {}): KubeObject {
  return { apiVersion: "v1", kind, metadata: { name, ...metadata }, ...rest };
}

const performanceProfile = (name: string, nodeSelector: unknown = rt): KubeObject =>
  object("PerformanceProfile", name, { spec: { nodeSelector } });

function node(name: string, labels: Record<string, string>, status: object = {}): KubeObject {
  return object("Node", name, { status }, { labels });
}

const intel = { nodeInfo: { architecture: "amd64", kernelVersion: "6" }, capacity: { cpu: "8", memory: "1Gi" } };

const role = "machineconfiguration.openshift.io/role";
const pool = (name: string, ...roles: string[]): MachineConfigPool => ({
  ...object("MachineConfigPool", name),
  spec: {
    nodeSelector: { matchLabels: { [`node-role.kubernetes.io/${name}`]: "" } },
    machineConfigSelector: { matchExpressions: [{ key: role, operator: "In", values: roles }] },
  },
});

function machineConfig(name: string, of: string, files: Record<string, string>): KubeObject {
  const config = ignitionConfig(Object.entries(files).map(([path, text]) => textFile(path, 0o644, text)));
  return object("MachineConfig", name, { spec: { config } }, { labels: { [role]: of } });
}

const conf = "/etc/crio/crio.conf.d/01-mine.conf";
const table = "\n[crio.runtime.workloads.mine]\nactivation_annotation = 'x'\n";

const hardware = { architecture: "amd64", offline: "", numaNodes: [{ id: 0, memory: "64Ki", cores: ["0/0:0-1"] }] };

const cluster: ClusterObjects = {
  nodes: [
    node("a", { ...rt, zone: "1" }, intel),
    node("b", rt),
    node("c", { "node-role.kubernetes.io/rt": "no" }, intel),
    node("d", {}, intel),
  ],
  profiles: [
    object("Profile", "a", { status: { tunedProfile: "p", hardware } }),
    object("Profile", "b", { status: { hardware: { numaNodes: 7 } } }),
  ],
  performanceProfiles: [performanceProfile("p"), performanceProfile("q", { a: "b" }), performanceProfile("r", 7)],
  pools: [pool("rt", "rt", "worker"), pool("worker", "worker")],
  machineConfigs: [
    machineConfig("50-mine", "rt", {
      [conf]: table,
      "/etc/other": table,
      "/etc/crio/crio.conf.d/02": "[crio.runtime]\n# [crio.runtime.workloads]\n",
      "/etc/crio/crio.conf.d/03": "[crio.runtime.workloads]\nmine = { activation_annotation = 'x' }\n",
    }),
    machineConfig("50-inherited", "worker", { [conf]: '[ crio."runtime".workloads.x ]' }),
    machineConfig("50-elsewhere", "master", { [conf]: table }),
    machineConfig("50-performance-p", "rt", { [conf]: table }),
    machineConfig("50-performance-q", "rt", { [conf]: table }),
    machineConfig("01-rt-cpu-partitioning", "rt", { [conf]: table }),
    object("MachineConfig", "50-broken", { spec: { config: { storage: 7 } } }, { labels: { [role]: "rt" } }),
  ],
  infrastructure: object("Infrastructure", "cluster", { status: { cpuPartitioning: "AllNodes" } }),
  featureGate: object("FeatureGate", "cluster", { spec: { featureSet: "DevPreviewNoUpgrade" } }),
};

const reduced: ClusterObjects = {
  ...cluster,
  nodes: cluster.nodes.map(projectNode),
  profiles: cluster.profiles?.map(projectProfile) ?? [],
  performanceProfiles: cluster.performanceProfiles.map(projectPerformanceProfile),
  pools: cluster.pools?.map(projectPool) ?? [],
  machineConfigs: cluster.machineConfigs?.map(projectMachineConfig) ?? [],
};

describe.each([
  ["whole objects", cluster],
  ["what is kept of them", reduced],
])("surroundings of %s", (_, objects) => {
  const found = surroundingsOf(performanceProfile("p"), objects);

  it("have the nodes that the profile selects, and what is known of them", () => {
    expect(found.nodes).toEqual([
      {
        name: "a",
        architecture: "amd64",
        cpus: 8,
        memoryKiB: 1024 * 1024,
        topology: {
          numaNodes: [{ id: 0, memoryKiB: 64, cores: [{ id: 0, socket: 0, cpus: [0, 1] }] }],
          offline: [],
        },
      },
      { name: "b" },
    ]);
  });

  it("have the other profiles, and not itself", () => {
    expect(found.otherProfiles).toEqual([
      { name: "q", nodeSelector: { a: "b" } },
      { name: "r", nodeSelector: {} },
    ]);
  });

  it("have the features of the cluster", () => {
    expect(found).toMatchObject({ partitioning: "AllNodes", mixedCpusAllowed: true });
    expect(found.pools?.map(({ metadata }) => metadata.name)).toEqual(["rt", "worker"]);
  });

  it("have the workload tables of other owners for its pool", () => {
    expect(found.foreignWorkloads).toEqual([
      { machineConfig: "50-mine", path: conf },
      { machineConfig: "50-mine", path: "/etc/crio/crio.conf.d/03" },
      { machineConfig: "50-inherited", path: conf },
    ]);
  });
});

describe("surroundings", () => {
  it("are empty on a plain Kubernetes cluster", () => {
    expect(surroundingsOf(performanceProfile("p"), { nodes: [], performanceProfiles: [] })).toEqual({
      nodes: [],
      otherProfiles: [],
      partitioning: "None",
      mixedCpusAllowed: false,
      foreignWorkloads: [],
    });
  });

  it.each([[{}], [null], ["x"], [["a"]], [{ "node-role.kubernetes.io/rt": 1 }]])(
    "of a profile that selects %j have no nodes",
    (nodeSelector) => {
      const found = surroundingsOf(performanceProfile("p", nodeSelector), cluster);
      expect([found.nodes, found.foreignWorkloads]).toEqual([[], []]);
    },
  );
});

it("a cache keeps little of a node", () => {
  const large = node("a", rt, { ...intel, images: Array.from({ length: 50 }, (_, i) => `image-${i}`) });
  expect(JSON.stringify(projectNode(large)).length).toBeLessThan(200);
});
