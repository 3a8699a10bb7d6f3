import { kinds } from "../../../cluster/kube/kinds.ts";
import type { ConfigMap } from "../../../domain/hosted/envelope/read-manifests.ts";
import { manifestsText } from "../../../domain/hosted/envelope/write-manifests.ts";
import { keys } from "../../../domain/hosted/protocol.ts";
import { type HostedCluster, hostedClusterKind, type NodePool, nodePoolKind } from "../../../domain/node-pool/api.ts";
import { performanceProfileKind } from "../../../domain/performance-profile/api.ts";
import type { VirtualNode } from "../../../embedded/lab/kubelet/node/virtual-node.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { readHostedTopology, smallNodes } from "../lab/virtual-nodes.ts";
import { exampleSysctl, exampleTuned } from "./worked-example.ts";

/** Of HostedClusters, NodePools and the ConfigMaps that users write. */
export const clustersNamespace = "clusters";
export const hostedClusterName = "demo";
export const kubeconfigSecret = "demo-kubeconfig";
const [workers, lowLatency] = ["workers", "low-latency"];
const workerLabel = "node-role.kubernetes.io/worker";

/** Nodes of the hosted cluster, and what a new directory gets for them. */
export interface HostedExample {
  readonly machines: readonly VirtualNode[];
  readonly configMaps: readonly ConfigMap[];
  readonly nodePools: readonly NodePool[];
  /** What the example does, for a terminal of 80 columns. */
  readonly text: readonly string[];
}

/** Small nodes, of which the second is in a NodePool of its own. `created`: with the NodePools and what they are tuned by. */
export function smallExample(nodes: number, created = true): HostedExample {
  const labels = (node: string): Record<string, string> => labelsIn(node === "node-2" ? lowLatency : workers);
  const machines = smallNodes(nodes, "node-", labels);
  if (!created) return { machines, configMaps: [], nodePools: [], text: [] };
  return { machines, ...exampleNodePools(nodes), text: hostedExampleText(nodes) };
}

/** The nodes of a topology file, in the NodePools that it names. */
export async function topologyExample(file: string, created: boolean): Promise<HostedExample> {
  const { nodes: machines, nodePools } = await readHostedTopology(file, labelsIn, workers);
  if (!created) return { machines, configMaps: [], nodePools: [], text: [] };
  const found = [...nodePools];
  const name = (pool: string, count: number): string => `${pool} (${count} ${count === 1 ? "node" : "nodes"})`;
  return {
    machines,
    configMaps: [],
    nodePools: found.map(([pool, count]) => nodePool(pool, [], count)),
    text: found.map(([pool, count], at) => `${at === 0 ? "NodePools " : "          "}  ${name(pool, count)}`),
  };
}

function labelsIn(nodePool: string): Record<string, string> {
  return { [workerLabel]: "", [keys.nodePool]: nodePool };
}

export function exampleHostedCluster(): HostedCluster {
  return {
    ...of(hostedClusterKind, hostedClusterName),
    spec: { kubeconfig: { name: kubeconfigSecret }, release: { image: "example.attune/release:1.0.0" } },
  };
}

/** Where new machines fetch their configuration from: the lab answers there. */
export const exampleStatus = { status: { ignitionEndpoint: "ignition.lab.attune.dev" } };

/** How the management side reaches the hosted cluster. */
export function exampleKubeconfig(kubeconfig: string): KubeObject {
  return {
    ...of(kinds.secret, kubeconfigSecret),
    type: "Opaque",
    data: { kubeconfig: Buffer.from(kubeconfig).toString("base64") },
  };
}

/** One for the Tuned, one for the profile, each with the NodePool that refers to it. */
export function exampleNodePools(nodes: number): { configMaps: ConfigMap[]; nodePools: NodePool[] } {
  const { metadata, spec, ...tuned } = exampleTuned();
  const profile = {
    ...of(performanceProfileKind, lowLatency),
    metadata: { name: lowLatency },
    spec: { cpu: { reserved: "0", isolated: "1-3" }, nodeSelector: { [workerLabel]: "" } },
  };
  const { profile: profiles } = spec ?? {};
  // A rule without `match` is for all nodes of the NodePool.
  const everywhere = { ...spec, profile: profiles, recommend: [{ profile: metadata.name ?? "", priority: 20 }] };
  return {
    configMaps: [
      configMap("quiet-memory", { ...tuned, metadata, spec: everywhere }),
      ...(nodes > 1 ? [configMap(lowLatency, profile)] : []),
    ],
    nodePools: [
      nodePool(workers, ["quiet-memory"], nodes > 1 ? nodes - 1 : 1),
      ...(nodes > 1 ? [nodePool(lowLatency, [lowLatency], 1)] : []),
    ],
  };
}

function nodePool(name: string, tuning: readonly string[], replicas: number): NodePool {
  return {
    ...of(nodePoolKind, name),
    spec: {
      clusterName: hostedClusterName,
      replicas,
      management: { upgradeType: "InPlace" },
      tuningConfig: tuning.map((configMap) => ({ name: configMap })),
    },
  };
}

function configMap(name: string, manifest: KubeObject): ConfigMap {
  return { ...of(kinds.configMap, name), data: { tuning: manifestsText([manifest]) } };
}

function of({ apiVersion, kind }: { apiVersion: string; kind: string }, name: string): KubeObject {
  return { apiVersion, kind, metadata: { name, namespace: clustersNamespace } };
}

function hostedExampleText(nodes: number): string[] {
  const { name, value } = exampleSysctl;
  return [
    `example     NodePool ${workers}: a Tuned in ConfigMap quiet-memory sets`,
    `            ${name} to ${value}`,
    ...(nodes > 1
      ? [
          `            NodePool ${lowLatency}: a PerformanceProfile in ConfigMap ${lowLatency}`,
          "            reserves CPU 0 for the system and isolates CPUs 1-3: one restart",
        ]
      : []),
  ];
}
