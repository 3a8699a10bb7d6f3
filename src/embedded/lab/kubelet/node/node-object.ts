import type { NodeCondition } from "kubernetes-types/core/v1.js";
import type { kinds } from "../../../../cluster/kube/kinds.ts";
import { formatTime } from "../../../../language/object/time.ts";
import { instanceAnnotation } from "./instance-annotation.ts";
import type { VirtualNode } from "./virtual-node.ts";

export type Node = NonNullable<(typeof kinds.node)["object"]>;
type NodeStatus = NonNullable<Node["status"]>;

export interface Presence {
  /** Of the log server. */
  readonly port: number;
  readonly instance: string;
  readonly now: number;
}

/** The Node as its kubelet registers it. */
export function nodeObject(node: VirtualNode, presence: Presence): Node {
  const { taints = [] } = node.options;
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: {
      name: node.name,
      labels: kubeletLabels(node),
      annotations: { [instanceAnnotation]: presence.instance },
    },
    spec: taints.length > 0 ? { taints: [...taints] } : {},
    status: nodeStatus(node, presence),
  };
}

export function nodeStatus(
  { name, bootId, kubelet, options: { topology, resources } }: VirtualNode,
  { port, now }: Pick<Presence, "port" | "now">,
): NodeStatus {
  const memoryKiB = topology.memoryMiB * 1024;
  const pages = [...(topology.hugepages ?? [])];
  // Memory in huge pages is not allocatable as memory.
  const pagesKiB = pages.reduce((sum, [sizeKiB, count]) => sum + sizeKiB * count, 0);
  const capacity = {
    cpu: String(topology.cpus),
    memory: `${memoryKiB}Ki`,
    "ephemeral-storage": "100Gi",
    pods: "110",
    ...resources,
    ...kubelet?.capacity,
  };
  return {
    capacity,
    allocatable: { ...capacity, memory: `${memoryKiB - pagesKiB}Ki`, ...kubelet?.allocatable },
    // All nodes of this process share one log server. There is no Hostname address: API servers prefer it, and could not
    // resolve it.
    addresses: [{ type: "InternalIP", address: "127.0.0.1" }],
    daemonEndpoints: { kubeletEndpoint: { Port: port } },
    conditions: [
      condition("MemoryPressure", "False", "KubeletHasSufficientMemory", now),
      condition("DiskPressure", "False", "KubeletHasNoDiskPressure", now),
      condition("PIDPressure", "False", "KubeletHasSufficientPID", now),
      condition("Ready", "True", "KubeletReady", now),
    ],
    nodeInfo: {
      machineID: name,
      systemUUID: name,
      bootID: bootId,
      kernelVersion: topology.kernelRelease,
      osImage: "Attune virtual machine",
      containerRuntimeVersion: runtimeVersions[topology.runtime ?? "containerd"],
      // The release whose kubelet this follows: clients compare it with their own version.
      kubeletVersion: "v1.35.0-attune",
      kubeProxyVersion: "",
      operatingSystem: "linux",
      architecture: topology.architecture,
    },
  };
}

const runtimeVersions = { containerd: "containerd://2.0.0-attune", "cri-o": "cri-o://1.35.0-attune" } as const;

/** The Ready condition at shutdown. */
export function stoppedCondition(now: number, message = "the lab that runs this node has stopped"): NodeCondition {
  return { ...condition("Ready", "False", "KubeletNotReady", now), message };
}

function condition(type: string, status: "True" | "False", reason: string, now: number): NodeCondition {
  const time = formatTime(now);
  return { type, status, reason, message: "", lastHeartbeatTime: time, lastTransitionTime: time };
}

/** Keeps the transition time of conditions whose status did not change. */
export function withTransitionTimes(status: NodeStatus, before: NodeStatus | undefined): NodeStatus {
  const conditions = status.conditions?.map((one) => {
    const old = before?.conditions?.find(({ type }) => type === one.type);
    return old?.status === one.status && old.lastTransitionTime
      ? { ...one, lastTransitionTime: old.lastTransitionTime }
      : one;
  });
  return { ...status, ...(conditions && { conditions }) };
}

/** The labels that the kubelet itself writes. */
export function kubeletLabels({ name, options: { topology, labels } }: VirtualNode): Record<string, string> {
  const own: Record<string, string> = {
    "kubernetes.io/arch": topology.architecture,
    "kubernetes.io/hostname": name,
    "kubernetes.io/os": "linux",
  };
  for (const [key, value] of Object.entries(labels ?? {})) if (kubeletMaySet(key)) own[key] = value;
  return own;
}

/** The labels that NodeRestriction keeps from kubelets, such as roles: the lab's own account writes them. */
export function adminLabels({ options: { labels } }: VirtualNode): [key: string, value: string][] {
  return Object.entries(labels ?? {}).filter(([key]) => !kubeletMaySet(key));
}

const allowedLabels = new Set([
  "beta.kubernetes.io/arch",
  "beta.kubernetes.io/instance-type",
  "beta.kubernetes.io/os",
  "failure-domain.beta.kubernetes.io/region",
  "failure-domain.beta.kubernetes.io/zone",
  "kubernetes.io/arch",
  "kubernetes.io/hostname",
  "kubernetes.io/os",
  "node.kubernetes.io/instance-type",
  "topology.kubernetes.io/region",
  "topology.kubernetes.io/zone",
]);

function kubeletMaySet(key: string): boolean {
  const slash = key.indexOf("/");
  const domain = slash < 0 ? "" : key.slice(0, slash);
  const within = (of: string): boolean => domain === of || domain.endsWith(`.${of}`);
  if (!within("kubernetes.io") && !within("k8s.io")) return true;
  return allowedLabels.has(key) || within("kubelet.kubernetes.io") || within("node.kubernetes.io");
}
