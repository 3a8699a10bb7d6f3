import type { PodSpec } from "kubernetes-types/core/v1.js";
import { mayRunOn, nodeConstraintsOf } from "../../../../language/object/scheduling/node-affinity.ts";
import { daemonTolerations, untolerated } from "../../../../language/object/scheduling/tolerations.ts";
import { byAge } from "../object-fields.ts";
import type { DaemonSet, Node, Pod } from "../workload-objects.ts";
import { nodeOf } from "./daemon-pod.ts";

/** `run`: the node needs a pod. `stay`: it gets no new pod, and keeps one that it has. */
export type NodeFit = "run" | "stay" | "never";

const noLabels: Readonly<Record<string, string>> = {};

/** A node, whether it fits, and its pods of the set, the oldest first. */
export interface DaemonNode {
  name: string;
  fit: NodeFit;
  pods: readonly Pod[];
}

export interface DaemonSetInput {
  daemonSet: DaemonSet;
  nodes: readonly DaemonNode[];
  /** Pods whose node does not exist. */
  stray: readonly Pod[];
  /** The hash of the current template. */
  hash: string;
  /** How often the revision's name was taken by another template. */
  collisions?: number | undefined;
  now: number;
  /** Milliseconds until a failed pod of the node may be replaced; 0 for now. */
  backoffMs: (nodeName: string) => number;
}

/** Groups pods by node. */
export function daemonNodes(
  nodes: readonly Node[],
  pods: readonly Pod[],
  fit: (node: Node) => NodeFit,
): { nodes: DaemonNode[]; stray: Pod[] } {
  const byNode = new Map<string, Pod[]>();
  for (const pod of pods) {
    const name = nodeOf(pod);
    const others = byNode.get(name);
    if (others) others.push(pod);
    else byNode.set(name, [pod]);
  }
  const found = nodes.map((node) => {
    const name = node.metadata.name ?? "";
    const own = byNode.get(name) ?? [];
    byNode.delete(name);
    return { name, fit: fit(node), pods: own.toSorted(byAge) };
  });
  return { nodes: found, stray: [...byNode.values()].flat() };
}

/** Whether nodes fit a template. Resources are the scheduler's concern. */
export function nodeFit(spec: PodSpec): (node: Node) => NodeFit {
  const constraints = nodeConstraintsOf(spec);
  const tolerations = daemonTolerations(spec);
  return ({ metadata, spec: node }) => {
    const { name = "", labels = noLabels } = metadata;
    if (spec.nodeName && spec.nodeName !== name) return "never";
    if (!mayRunOn(constraints, { name, labels })) return "never";
    const taints = node?.taints ?? [];
    if (untolerated(taints, tolerations, ["NoExecute"])) return "never";
    return untolerated(taints, tolerations, ["NoSchedule"]) ? "stay" : "run";
  };
}
