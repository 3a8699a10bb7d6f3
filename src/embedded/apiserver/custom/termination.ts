import { setCondition } from "../../../language/object/condition.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { formatTime } from "../../../language/object/time.ts";
import { asDefinition, type Definition } from "./definition.ts";

/** Holds a definition until its objects are gone: without it they would be stored and unreachable. */
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
 * A copy of a definition that is being deleted, at that stage of removing its objects. `pending` is what the DELETE itself
 * leaves behind, the finalizer included; `done` takes the finalizer away, so that the definition may go.
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
