/**
 * What admission did in one release of OpenShift. Rules read these values and never ask for the name of a release.
 * `docs/decisions/0021-documented-partitioning.md` has the reasons for `documented`.
 */
export interface ReleaseRules {
  /** Whether `AllNodes` switches partitioning on. */
  readonly identifier: boolean;
  /** How nodes of a cluster with a single control plane node switch it on without the identifier. */
  readonly singleNode?: SingleNodeRules;
  /** A cluster without nodes: refused before anything else is known, refused on single-node clusters, or switched off. */
  readonly withoutNodes: "refused" | "refused-on-single-node" | "off";
  /** No Infrastructure object. */
  readonly withoutIdentifier: "refused" | "none";
  /** Whether `AllNodes` counts only with a topology beside it, as in clusters that were rolled back to an older release. */
  readonly identifierNeedsTopology: boolean;
  /** Whether a pod is told that partitioning is off. */
  readonly warnIfOff: boolean;
  readonly namespaceWithoutList: "refused" | "warned";
  /** Whether blanks around the entries of a namespace's list are ignored. */
  readonly trimList: boolean;
  /** Pods with a request and a limit of CPU: left alone, or rewritten with `cpulimit`. */
  readonly limitAndRequest: "warned" | "carried";
  /** Pods with CPU in `spec.resources`, which no workload resource can replace. */
  readonly podLevelCpu: "warned" | "ignored";
  /** Pods that can run on one node only, which has no cores: they would wait for ever. */
  readonly nodeWithoutCores: "warned" | "ignored";
  /** Text of the annotation for CRI-O: `{"cpushares": 2}` or `{"cpushares":2}`. */
  readonly spaced: boolean;
  /** Which pods are the kubelet's own: those that say so, or those that a node created. */
  readonly staticPods: "annotated" | "from-their-node";
  /** What validation accepts in the annotation for CRI-O. */
  readonly resourcesSchema: "one-integer" | "shares-and-limit";
  /** Whether a resize of a rewritten pod may give it CPU again. */
  readonly resizeAddsCpu: "refused" | "ignored";
  /** Whether updates of a pod may change its instructions, which only its creation is judged by. */
  readonly instructions: "kept" | "free";
  /** Who says that a container uses shared CPUs: its request for them alone, or also an annotation that any user can write. */
  readonly sharedCpus: "requested" | "annotated";
  /** How nodes of a cluster without the identifier are found to be partitioned, so that new ones must be too. */
  readonly nodeFallback?: SingleNodeRules;
  /** The entry of a node that counts: one whose name has the suffix of workload resources in it, or at its end. */
  readonly nodeEntry: "contains" | "ends-with";
  /** Whether updates of a node are refused too. They cannot change its status, so that they only keep it from being drained. */
  readonly nodeUpdates: "refused" | "admitted";
}

export interface SingleNodeRules {
  /** Which of the topologies must be `SingleReplica`. */
  readonly topologies: "both" | "control-plane";
  /** Which nodes must have the resource in allocatable: all, and more than zero, or any, with any amount. */
  readonly nodes: "all-above-zero" | "any";
}

const current = {
  identifier: true,
  withoutNodes: "off",
  withoutIdentifier: "refused",
  identifierNeedsTopology: true,
  warnIfOff: false,
  namespaceWithoutList: "warned",
  trimList: false,
  limitAndRequest: "carried",
  podLevelCpu: "ignored",
  nodeWithoutCores: "ignored",
  spaced: false,
  staticPods: "annotated",
  resourcesSchema: "shares-and-limit",
  resizeAddsCpu: "ignored",
  instructions: "free",
  sharedCpus: "annotated",
  nodeEntry: "contains",
  nodeUpdates: "refused",
} as const satisfies ReleaseRules;

const v416 = {
  ...current,
  singleNode: { topologies: "control-plane", nodes: "any" },
  withoutNodes: "refused",
} as const satisfies ReleaseRules;

const v414 = {
  ...v416,
  limitAndRequest: "warned",
  spaced: true,
  resourcesSchema: "one-integer",
} as const satisfies ReleaseRules;

const v413 = { ...v414, namespaceWithoutList: "refused" } as const satisfies ReleaseRules;

const v412 = {
  ...v413,
  identifier: false,
  singleNode: { topologies: "both", nodes: "all-above-zero" },
  withoutNodes: "refused-on-single-node",
} as const satisfies ReleaseRules;

const documented = {
  ...current,
  singleNode: v412.singleNode,
  withoutIdentifier: "none",
  identifierNeedsTopology: false,
  warnIfOff: true,
  trimList: true,
  limitAndRequest: "warned",
  podLevelCpu: "warned",
  nodeWithoutCores: "warned",
  staticPods: "from-their-node",
  resizeAddsCpu: "refused",
  instructions: "kept",
  sharedCpus: "requested",
  nodeFallback: v412.singleNode,
  nodeEntry: "ends-with",
  nodeUpdates: "admitted",
} as const satisfies ReleaseRules;

/** `4.16` stands for 4.16 to 4.21, `4.14` for 4.14 and 4.15, `4.12` for 4.8 to 4.12, `current` for 4.22 and later. */
export const releases = {
  documented,
  current,
  "4.16": v416,
  "4.14": v414,
  "4.13": v413,
  "4.12": v412,
} as const satisfies Record<string, ReleaseRules>;

export type ReleaseName = keyof typeof releases;

export const defaultRelease: ReleaseName = "documented";

export function isRelease(name: string): name is ReleaseName {
  return Object.hasOwn(releases, name);
}
