import type { KubeObject, ObjectMeta } from "./meta.ts";

/**
 * What a decision wants of the cluster. `decide(input)` returns one, `act(plan)` carries it out,
 * and `attune plan` prints it.
 */
export interface Plan {
  /** Objects that must exist, each saying how much of it is ours. */
  objects: PlannedObject[];
  /** Objects of ours that must not exist any more. */
  prunes: ObjectReference[];
  /** Status to write through the status subresource, if it differs from what is there. */
  statuses: PlannedStatus[];
  events: PlannedEvent[];
  /** Decide again after this long, whatever happens meanwhile. */
  requeueAfterMs?: number | undefined;
}

export interface PlannedObject {
  /**
   * `whole`: the object is ours from end to end. Everything but metadata and status is compared, and written with
   * resourceVersion, so that what others added is undone too. Labels, annotations and owner references we name are kept
   * as we say; those of others stay.
   * `fields`: only the fields in `object` are ours; written with server-side apply under the controller's field manager.
   */
  owns: "whole" | "fields";
  object: KubeObject;
  /** Annotations of ours that a `whole` object must not have any more. */
  absentAnnotations?: readonly string[] | undefined;
  /** A `whole` object that nobody may own: it would go with its owner. */
  ownerless?: boolean | undefined;
  /** Why the object is as it is, for `plan` and `explain`. */
  because?: string | undefined;
}

export interface ObjectReference {
  apiVersion: string;
  kind: string;
  metadata: Pick<ObjectMeta, "name" | "namespace" | "uid">;
}

export interface PlannedStatus {
  of: ObjectReference;
  status: Record<string, unknown>;
}

export interface PlannedEvent {
  regarding: ObjectReference;
  type: "Normal" | "Warning";
  reason: string;
  message: string;
}

export function emptyPlan(): Plan {
  return { objects: [], prunes: [], statuses: [], events: [] };
}
