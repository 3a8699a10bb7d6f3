import type { ClusterState } from "./cluster-state.ts";
import type { Rejection } from "./obstacle.ts";
import { mayRunOn } from "../../../../language/object/scheduling/node-affinity.ts";
import type { NodeState } from "./node-state.ts";
import { podAffinityFilter } from "./pod-affinity.ts";
import { type PodFacts, portsCollide } from "./pod-facts.ts";
import { tolerates, untolerated } from "../../../../language/object/scheduling/tolerations.ts";
import { spreadFilter } from "./topology-spread.ts";

/** Why a node is rejected, or undefined. */
export type Filter = (node: NodeState) => Rejection | undefined;

const final = (obstacle: Rejection["obstacle"], reason: string): Rejection => ({
  obstacle,
  reasons: [reason],
  preemptionMayHelp: false,
});
const cordoned = final("unschedulable", "node(s) were unschedulable");
const nameMismatch = final("name", "node(s) didn't match the requested node name");
const affinityMismatch = final("node affinity", "node(s) didn't match Pod's node affinity/selector");
const portsTaken: Rejection = {
  obstacle: "ports",
  reasons: ["node(s) didn't have free ports for the requested pod ports"],
  preemptionMayHelp: true,
};
const cordon = { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" };
const hardEffects = ["NoSchedule", "NoExecute"];

/** The filters that apply to the pod, in kube-scheduler's order. */
export function filtersFor(pod: PodFacts, state: ClusterState): readonly Filter[] {
  const { selector, required } = pod.nodes;
  const toleratesCordon = pod.tolerations.some((one) => tolerates(one, cordon));
  const requests = [...pod.requests].filter(([, amount]) => amount > 0);

  const isUnschedulable: Filter = (node) => (node.unschedulable ? cordoned : undefined);
  const isAnotherNode: Filter = (node) => (pod.nodeName === node.name ? undefined : nameMismatch);
  const hasUntoleratedTaint: Filter = (node) => {
    if (node.taints.length === 0) return undefined;
    const taint = untolerated(node.taints, pod.tolerations, hardEffects);
    return taint && final("taints", `node(s) had untolerated taint {${taint.key}: ${taint.value ?? ""}}`);
  };
  const mismatchesAffinity: Filter = (node) => (mayRunOn(pod.nodes, node) ? undefined : affinityMismatch);
  const hasPortsTaken: Filter = (node) =>
    pod.ports.some((port) => node.ports.some((taken) => portsCollide(port, taken))) ? portsTaken : undefined;
  const lacksResources: Filter = (node) => resourcesMissing(pod, requests, node, state);

  // Filters that the pod does not need are left out: each runs for every node.
  return [
    !toleratesCordon && isUnschedulable,
    pod.nodeName !== "" && isAnotherNode,
    hasUntoleratedTaint,
    (selector || required) && mismatchesAffinity,
    pod.ports.length > 0 && hasPortsTaken,
    lacksResources,
    spreadFilter(pod, state),
    podAffinityFilter(pod, state),
  ].filter((filter) => typeof filter === "function");
}

export function firstRejection(filters: readonly Filter[], node: NodeState): Rejection | undefined {
  for (const filter of filters) {
    const rejection = filter(node);
    if (rejection) return rejection;
  }
  return undefined;
}

/** Resources of nominated pods of the same or a higher priority are not free. */
function resourcesMissing(
  pod: PodFacts,
  requests: readonly (readonly [string, number])[],
  node: NodeState,
  state: ClusterState,
): Rejection | undefined {
  const ahead = aheadOf(pod, node, state);
  let reasons: string[] | undefined;
  let hopeless = false;
  if (node.pods.size + ahead.length + 1 > node.total.pods) reasons = ["Too many pods"];
  for (const [resource, amount] of requests) {
    let free = node.free(resource);
    for (const other of ahead) free -= other.requests.get(resource) ?? 0;
    if (amount <= free) continue;
    (reasons ??= []).push(`Insufficient ${resource}`);
    hopeless ||= amount > (node.allocatable.get(resource) ?? 0);
  }
  return reasons && { obstacle: "resources", reasons, preemptionMayHelp: !hopeless };
}

const noPods: readonly PodFacts[] = [];

function aheadOf(pod: PodFacts, node: NodeState, state: ClusterState): readonly PodFacts[] {
  const nominated = state.nominatedOn(node.name);
  if (!nominated) return noPods;
  return [...nominated].filter(
    (other) => other.uid !== pod.uid && other.priority >= pod.priority && !node.pods.has(other.uid),
  );
}
