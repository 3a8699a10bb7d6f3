import type { ReplicaStatus } from "../../src/domain/scylla/api.ts";
import type { ScyllaNodeView } from "../../src/domain/scylla/view/scylla-node.ts";
import type { AdmissionDecision } from "../../src/domain/admission-log/admission-decision.ts";
import type { PartitioningFacts } from "../../src/domain/admission-log/partitioning-sentence.ts";

/** One of the two. */
export interface PartitioningRow {
  readonly cluster?: PartitioningFacts & {
    /** Nodes with containers on reserved CPUs. */
    readonly nodes: readonly string[];
  };
  readonly decision?: AdmissionDecision;
}

/** A container of the platform on one node. */
export interface ContainerRow {
  /** `namespace/name` */
  readonly pod: string;
  readonly container: string;
  /** What the scheduler counts. */
  readonly cpu: string;
  /** In list format. Empty: not known. */
  readonly cpus: string;
  /** The CPUs of the node. */
  readonly of: number;
  /** Who says so. */
  readonly from: string;
}

/** One of the two. */
export interface ScyllaRow {
  readonly node?: ScyllaNodeView;
  readonly config?: ScyllaConfigRow;
}

export interface ScyllaConfigRow {
  readonly engine: string;
  readonly isDisabled: boolean;
  readonly agents: ReplicaStatus;
  /** Computed from objects that may have changed since. */
  readonly isStale: boolean;
  /** Conditions that are not as they should be. */
  readonly problems: readonly { readonly type: string; readonly message: string }[];
}
