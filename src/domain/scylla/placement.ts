import type { KubeObject } from "../../language/object/meta.ts";
import { mayRunOn, nodeConstraintsOf } from "../../language/object/scheduling/node-affinity.ts";
import {
  daemonTolerations,
  type Taint,
  type Toleration,
  untolerated,
} from "../../language/object/scheduling/tolerations.ts";
import { startupTaint } from "../rollout/startup/startup-taint.ts";
import type { Placement, ScyllaNodeConfig } from "./api.ts";

/** What is read of a Node to know its ScyllaNodeConfig. */
export interface PlacedNode extends KubeObject {
  spec?: { taints?: Taint[] };
}

/**
 * Taints that come and go with the state of a node. While a node has one, its databases stay there; an agent that had to leave
 * would let them start on a node that is not tuned.
 */
const passing: readonly Toleration[] = [
  { key: "node.kubernetes.io/not-ready", operator: "Exists", effect: "NoSchedule" },
  { key: "node.kubernetes.io/unreachable", operator: "Exists", effect: "NoSchedule" },
  { key: startupTaint.key, operator: "Exists", effect: startupTaint.effect },
];

/** Of the DaemonSet: what the placement tolerates, and taints that come and go. */
export function agentTolerations({ tolerations }: Placement): Toleration[] {
  return [...(tolerations ?? []), ...passing];
}

/**
 * Whether agents of a placement run on a node. As kube-controller-manager decides for the DaemonSet, so a cordon changes
 * nothing; preferences and affinity between pods have no effect on it.
 */
export function selectsNode(placement: Placement, { metadata, spec }: PlacedNode): boolean {
  const { nodeSelector, affinity } = placement;
  const { name = "", labels = {} } = metadata;
  const constraints = nodeConstraintsOf({ nodeSelector: nodeSelector ?? undefined, affinity: affinity ?? undefined });
  if (!mayRunOn(constraints, { name, labels })) return false;
  const tolerations = daemonTolerations({ tolerations: agentTolerations(placement), hostNetwork: true });
  return untolerated(spec?.taints ?? [], tolerations, ["NoSchedule", "NoExecute"]) === undefined;
}

/** All ScyllaNodeConfigs that select a node, the oldest first. One that is being deleted selects none. */
export function configsOfNode(node: PlacedNode, configs: readonly ScyllaNodeConfig[]): ScyllaNodeConfig[] {
  return configs
    .filter(({ metadata, spec }) => !metadata.deletionTimestamp && selectsNode(spec?.placement ?? {}, node))
    .toSorted(byAge);
}

/**
 * The ScyllaNodeConfig that decides about a node: the oldest that selects it, whether it has optimizations disabled or not.
 * Only its agent tunes the node. Operator, agents and status agree by this function.
 */
export function configOfNode(node: PlacedNode, configs: readonly ScyllaNodeConfig[]): ScyllaNodeConfig | undefined {
  return configsOfNode(node, configs)[0];
}

/** Whether agents of a ScyllaNodeConfig tune the nodes that it decides about. */
export function isEnabled({ metadata, spec }: ScyllaNodeConfig): boolean {
  return !metadata.deletionTimestamp && spec?.disableOptimizations !== true;
}

/** Times have whole seconds, so names decide about objects of one second. */
export function byAge({ metadata: a }: KubeObject, { metadata: b }: KubeObject): number {
  return compare(a.creationTimestamp ?? "", b.creationTimestamp ?? "") || compare(a.name ?? "", b.name ?? "");
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
