import type { PartitioningStatus } from "./identifier.ts";

/**
 * What admission knows of the cluster at the moment of one review. Plain data: the webhook fills it from its caches, and reads
 * the namespace live, once, if its cache does not have it yet.
 */
export interface PartitioningView {
  /** Whether the caches of namespaces, nodes and the identifier have synced. */
  readonly ready: boolean;
  readonly identifier: IdentifierLookup;
  readonly nodes: readonly NodeCores[];
  /** What puts cores into a node's capacity. Where it is the agent, which starts after the node has joined, nodes join without. */
  readonly coresFrom: "kubelet" | "agent";
  /** The namespace of the request. */
  readonly namespace: NamespaceLookup;
}

/** The identifier that is set at installation; `unreadable` if it may exist, and the webhook could not read it. */
export type IdentifierLookup = PartitioningStatus | { readonly state: "unreadable"; readonly reason: string };

export type NamespaceLookup =
  | { readonly type: "found"; readonly name: string; readonly annotations: Readonly<Record<string, string>> }
  | { readonly type: "missing"; readonly name: string }
  | { readonly type: "failed"; readonly name: string; readonly reason: string };

/** A node, without all but its entries for `*.workload.openshift.io/cores`: clusters have thousands of nodes. */
export interface NodeCores {
  readonly name: string;
  readonly capacity: Readonly<Record<string, string>>;
  readonly allocatable: Readonly<Record<string, string>>;
}
