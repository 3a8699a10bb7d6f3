import type { KubeObject } from "../../language/object/meta.ts";
import type { ObjectFinding } from "../finding.ts";
import type { BootChange } from "./boot-changes.ts";
import type { NodeChange } from "./node-changes.ts";
import { changesNodes, type NodePoolChange } from "./node-pools/node-pool-change.ts";
import { objectDiff } from "./object-diff.ts";
import type { PoolChange } from "./pool-change.ts";
import type { ScyllaChange } from "./scylla/scylla-change.ts";

/** What a change would do, once the operator and the agents have acted on it. */
export interface ChangePlan {
  /** How many nodes are tuned at all. */
  readonly nodes: number;
  readonly changes: readonly NodeChange[];
  readonly boot: readonly BootChange[];
  readonly findings: readonly ObjectFinding[];
  readonly objects: readonly PlannedObject[];
  /** Pools whose nodes get another config. */
  readonly pools: readonly PoolChange[];
  /** On a management cluster: NodePools that the change reaches. Absent: none. */
  readonly nodePools?: readonly NodePoolChange[];
  /** Agents and databases of Scylla. Absent: nothing changes for them. */
  readonly scylla?: ScyllaChange;
}

export interface PlannedObject {
  /** A file, or the object that it is derived from. */
  readonly place: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly change: "create" | "change" | "delete" | "none";
  /** From a PerformanceProfile or a ScyllaNodeConfig: the operator writes it. */
  readonly derived?: true;
  readonly diff: string;
}

/** One write, with the object as the API server would store it. */
export interface PlannedWrite {
  readonly place: string;
  /** Absent: the write creates the object. */
  readonly before?: KubeObject | undefined;
  readonly after: KubeObject;
}

export function plannedObject({ place, before, after }: PlannedWrite): PlannedObject {
  const { kind, metadata } = after;
  const diff = objectDiff(before, after);
  return {
    place,
    kind,
    ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
    name: metadata.name ?? "",
    change: before ? (diff === "" ? "none" : "change") : "create",
    diff,
  };
}

export function changesAnything({ objects, changes, boot, pools, nodePools = [], scylla }: ChangePlan): boolean {
  return (
    changes.length + boot.length + pools.length > 0 ||
    nodePools.some(changesNodes) ||
    scylla !== undefined ||
    objects.some(({ change }) => change !== "none")
  );
}
