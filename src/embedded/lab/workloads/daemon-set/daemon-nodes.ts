import type { DaemonSet, Node, Pod } from "../workload-objects.ts";
import { nodeOf } from "./daemon-pod.ts";
import type { NodeFit } from "./node-fit.ts";

/** A node, whether it should have a pod, and the pods it has, the oldest first. */
export interface DaemonNode {
  name: string;
  fit: NodeFit;
  pods: readonly Pod[];
}

export interface DaemonSetInput {
  daemonSet: DaemonSet;
  nodes: readonly DaemonNode[];
  /** Pods whose node is not there. */
  stray: readonly Pod[];
  /** Of the template as it is. */
  hash: string;
  /** How often its revision's name was taken by another template. */
  collisions?: number | undefined;
  now: number;
  /** Whether a pod that failed on a node may be replaced now; 0, or how long it must wait. */
  restMs: (nodeName: string) => number;
}

/** The nodes with their pods. What is on no node that exists is stray. */
export function daemonNodes(
  nodes: readonly Node[],
  pods: readonly Pod[],
  fit: (node: Node) => NodeFit,
): { nodes: DaemonNode[]; stray: Pod[] } {
  const byNode = new Map<string, Pod[]>();
  for (const pod of pods) {
    const name = nodeOf(pod);
    const there = byNode.get(name);
    if (there) there.push(pod);
    else byNode.set(name, [pod]);
  }
  const found = nodes.map((node) => {
    const name = node.metadata.name ?? "";
    const there = byNode.get(name) ?? [];
    byNode.delete(name);
    return { name, fit: fit(node), pods: there.toSorted(byAge) };
  });
  return { nodes: found, stray: [...byNode.values()].flat() };
}

function byAge(a: Pod, b: Pod): number {
  const [first, second] = [a.metadata.creationTimestamp ?? "", b.metadata.creationTimestamp ?? ""];
  if (first !== second) return first < second ? -1 : 1;
  return (a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1;
}
