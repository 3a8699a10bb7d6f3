import { isQuantity, parseQuantity } from "../../language/object/quantity.ts";
import type { Problem, ProblemCode } from "./admission.ts";
import type { PartitioningStatus } from "./identifier.ts";
import { coresOf } from "./names.ts";
import type { ReleaseRules, SingleNodeRules } from "./release.ts";
import type { IdentifierLookup, NodeCores, PartitioningView } from "./view.ts";

export type ClusterState =
  | { readonly type: "on" }
  | { readonly type: "off"; readonly why: string }
  | { readonly type: "unknown"; readonly problem: Problem };

/** Whether pods of a workload type run on reserved CPUs in this cluster. */
export function clusterState(view: PartitioningView, workload: string, release: ReleaseRules): ClusterState {
  const { identifier, nodes } = view;
  if (!view.ready)
    return unknown("caches-unsynced", "caches of nodes, namespaces and the Infrastructure are not filled yet");
  if (nodes.length === 0 && release.withoutNodes === "refused") return withoutNodes;
  const problem = lookupProblem(identifier, release);
  if (problem) return { type: "unknown", problem };
  if (identifier.state === "empty") return unknown("infra-status-empty", `${name} has no status yet`);
  if (identifier.state !== "known") return off(`the cluster has no ${name}`);
  if (release.identifierNeedsTopology && hasNoTopology(identifier)) return off(`the status of ${name} has no topology`);
  if (release.identifier && identifier.mode === "AllNodes") return { type: "on" };
  if (!release.singleNode || !isSingleNode(identifier, release.singleNode))
    return off("the cluster was not installed with cpuPartitioningMode AllNodes");
  if (nodes.length === 0 && release.withoutNodes === "refused-on-single-node") return withoutNodes;
  return nodesReport(nodes, coresOf(workload), release.singleNode)
    ? { type: "on" }
    : off(`not all nodes report ${coresOf(workload)}`);
}

const name = 'Infrastructure "cluster"';
const off = (why: string): ClusterState => ({ type: "off", why });
const forbidden = (code: ProblemCode, message: string): Problem => ({ code, status: 403, message });
const unknown = (code: ProblemCode, message: string): ClusterState => ({
  type: "unknown",
  problem: forbidden(code, message),
});
const withoutNodes = unknown(
  "nodes-empty",
  "the cluster has no nodes, so that it is unknown whether it is partitioned",
);

/** Why it is unknown what the identifier says. */
export function lookupProblem(identifier: IdentifierLookup, release: ReleaseRules): Problem | undefined {
  if (identifier.state === "unreadable")
    return forbidden("infra-lookup-failed", `${name} could not be read: ${identifier.reason}`);
  return identifier.state === "absent" && release.withoutIdentifier === "refused"
    ? forbidden("infra-lookup-failed", `there is no ${name}`)
    : undefined;
}

export function isSingleNode(identifier: PartitioningStatus, { topologies }: SingleNodeRules): boolean {
  const { controlPlaneTopology, infrastructureTopology } = identifier;
  const single = "SingleReplica";
  return controlPlaneTopology === single && (topologies === "control-plane" || infrastructureTopology === single);
}

/** Clusters before the identifier existed are partitioned if their nodes are. */
export function nodesReport(nodes: readonly NodeCores[], resource: string, rules: SingleNodeRules): boolean {
  if (rules.nodes === "any") return nodes.some(({ allocatable }) => Object.hasOwn(allocatable, resource));
  return nodes.length > 0 && nodes.every(({ allocatable }) => isAboveZero(allocatable[resource]));
}

function isAboveZero(amount: string | undefined): boolean {
  return amount !== undefined && isQuantity(amount) && parseQuantity(amount).mantissa > 0n;
}

function hasNoTopology({ controlPlaneTopology, infrastructureTopology }: PartitioningStatus): boolean {
  return controlPlaneTopology === "" && infrastructureTopology === "";
}
