import type { KubeObject, ObjectMeta } from "./meta.ts";

/** The writes that a decision wants. `decide(input)` returns one, `act(plan)` executes it, and `attune plan` prints it. */
export interface Plan {
  /** Objects that must exist. */
  objects: PlannedObject[];
  /** Objects that must be deleted. */
  prunes: ObjectReference[];
  /** Statuses to write through the status subresource, if they differ. */
  statuses: PlannedStatus[];
  events: PlannedEvent[];
  /** Decide again after this time, even without an event. */
  requeueAfterMs?: number | undefined;
}

export interface PlannedObject {
  /**
   * `whole`: we own the object. Everything but metadata and status is compared, and written with resourceVersion, so that
   * additions of other clients are removed. Of labels, annotations and owner references only those in `object` are ours.
   * `fields`: we own only the fields in `object`, and write them with server-side apply as the controller's field manager.
   */
  owns: "whole" | "fields";
  object: KubeObject;
  /** Annotations to remove from a `whole` object. */
  absentAnnotations?: readonly string[] | undefined;
  /** Remove the owner references of a `whole` object: it must outlive its owner. */
  ownerless?: boolean | undefined;
  /**
   * Labels, annotations, finalizers and owner references of a `whole` object are those in `object`, and no others: what
   * other clients add is removed. An object that is being deleted loses the finalizers that keep it, and is created again.
   */
  exactMetadata?: boolean | undefined;
  /** The reason for the object, for `plan` and `explain`. */
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
  /**
   * What the event reports was written there: if that write fails, the event is not recorded, since the next pass plans both again.
   * Default: `regarding`.
   */
  writtenTo?: ObjectReference | undefined;
}

export function referenceTo({ apiVersion, kind, metadata }: KubeObject): ObjectReference {
  const { name, namespace, uid } = metadata;
  return { apiVersion, kind, metadata: { name, namespace, uid } };
}

export function emptyPlan(): Plan {
  return { objects: [], prunes: [], statuses: [], events: [] };
}
