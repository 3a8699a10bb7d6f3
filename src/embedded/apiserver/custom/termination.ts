import { setCondition } from "../../../language/object/condition.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { formatTime } from "../../../language/object/time.ts";
import { asDefinition, type Definition } from "./definition.ts";

/** Keeps a definition until its objects are deleted: without it they would stay in storage, unreachable. */
export const CLEANUP_FINALIZER = "customresourcecleanup.apiextensions.k8s.io";

const STAGES = {
  pending: {
    status: "True",
    reason: "InstanceDeletionPending",
    message: "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
  },
  running: { status: "True", reason: "InstanceDeletionInProgress", message: "CustomResource deletion is in progress" },
  done: { status: "False", reason: "InstanceDeletionCompleted", message: "removed all instances" },
} as const;

/**
 * A copy of a definition in a stage of its deletion. The DELETE request sets `pending` and adds the finalizer; `done`
 * removes the finalizer, so that the definition is deleted.
 */
export function terminating(object: KubeObject, stage: keyof typeof STAGES, now: number): Definition {
  const definition = asDefinition(object);
  const status = definition.status ?? {
    conditions: null,
    acceptedNames: { plural: "", kind: "" },
    storedVersions: null,
  };
  const conditions = setCondition(status.conditions ?? [], { type: "Terminating", ...STAGES[stage] }, formatTime(now));
  const others = (definition.metadata.finalizers ?? []).filter((finalizer) => finalizer !== CLEANUP_FINALIZER);
  const finalizers = stage === "done" ? others : [...others, CLEANUP_FINALIZER];
  const { finalizers: _, ...metadata } = definition.metadata;
  return {
    ...definition,
    metadata: finalizers.length > 0 ? { ...metadata, finalizers } : metadata,
    status: { ...status, conditions: [...conditions] },
  };
}
