import { countOf } from "../pods/replicas.ts";
import { isAvailable, isTerminating } from "../pods/pod-state.ts";
import type { DaemonSet, Pod } from "../workload-objects.ts";
import { revisionLabel } from "./daemon-pod.ts";
import type { DaemonNode, DaemonSetInput } from "./daemon-nodes.ts";

/** How many of the nodes may have two pods. */
export function surgeOf({ spec }: DaemonSet, desired: number): number {
  const { type, rollingUpdate: bounds } = spec?.updateStrategy ?? {};
  return type === "OnDelete" ? 0 : countOf(bounds?.maxSurge ?? 0, desired, "up");
}

function unavailableOf({ spec }: DaemonSet, desired: number): number {
  return countOf(spec?.updateStrategy?.rollingUpdate?.maxUnavailable ?? 1, desired, "up");
}

/** Replaces pods of old templates within `maxUnavailable` or `maxSurge`. */
export function rollingUpdate(input: DaemonSetInput): { create: string[]; delete: Pod[] } {
  const { daemonSet, nodes, hash, now } = input;
  const desired = nodes.filter(({ fit }) => fit === "run").length;
  const surge = surgeOf(daemonSet, desired);
  const available = (pod: Pod): boolean => isAvailable(pod, daemonSet.spec?.minReadySeconds ?? 0, now);
  const states = nodes.map((node) => stateOf(node, hash));
  return surge > 0
    ? { ...surging(states, surge, available) }
    : { create: [], delete: replacing(states, Math.max(1, unavailableOf(daemonSet, desired)), available) };
}

interface NodeUpdate {
  node: DaemonNode;
  old: Pod | undefined;
  current: Pod | undefined;
}

/** One pod of the new template and one of an old, where the node has them. */
function stateOf(node: DaemonNode, hash: string): NodeUpdate {
  const alive = node.pods.filter((pod) => !isTerminating(pod));
  const isCurrent = (pod: Pod): boolean => pod.metadata.labels?.[revisionLabel] === hash;
  return { node, current: alive.find(isCurrent), old: alive.find((pod) => !isCurrent(pod)) };
}

/** Deletes old pods up to `maxUnavailable`. Unavailable ones count already, and are deleted first. */
function replacing(states: readonly NodeUpdate[], most: number, available: (pod: Pod) => boolean): Pod[] {
  const broken: Pod[] = [];
  const working: Pod[] = [];
  let missing = 0;
  for (const { node, old, current } of states) {
    if (old && !available(old)) {
      missing++;
      broken.push(old);
    } else if (old) working.push(old);
    else if (current ? !available(current) : node.fit === "run") missing++;
  }
  return [...broken, ...working.slice(0, Math.max(0, most - missing))];
}

/** Creates new pods up to `maxSurge`; an old one is deleted once its successor is available. */
function surging(
  states: readonly NodeUpdate[],
  most: number,
  available: (pod: Pod) => boolean,
): { create: string[]; delete: Pod[] } {
  const done: Pod[] = [];
  const urgent: string[] = [];
  const next: string[] = [];
  let surged = 0;
  for (const { node, old, current } of states) {
    if (!old) continue;
    if (!current) {
      if (node.fit === "run") (available(old) ? next : urgent).push(node.name);
    } else if (available(current)) done.push(old);
    else surged++;
  }
  return { create: [...urgent, ...next.slice(0, Math.max(0, most - surged))], delete: done };
}
