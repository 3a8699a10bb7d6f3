import { countIn } from "../object-fields.ts";
import type { Job, Pod } from "../workload-objects.ts";

export const trackingFinalizer = "batch.kubernetes.io/job-tracking";
export const indexAnnotation = "batch.kubernetes.io/job-completion-index";
export const failuresAnnotation = "batch.kubernetes.io/job-index-failure-count";
export const ignoredFailuresAnnotation = "batch.kubernetes.io/job-index-ignored-failure-count";

export function isIndexed({ spec }: Job): boolean {
  return spec?.completionMode === "Indexed";
}

export function isSuspended({ spec }: Job): boolean {
  return spec?.suspend === true;
}

/** `spec.managedBy` names another controller. */
export function isForeign({ spec }: Job): boolean {
  const { managedBy } = (spec ?? {}) as { managedBy?: string };
  return managedBy !== undefined && managedBy !== "kubernetes.io/job-controller";
}

/** Whether a new pod waits until the one it replaces has ended. */
export function waitsForEnd({ spec }: Job): boolean {
  return spec?.podReplacementPolicy === "Failed" || spec?.podFailurePolicy !== undefined;
}

export function isFinishedJob({ status }: Job): boolean {
  return (status?.conditions ?? []).some(
    ({ type, status: is }) => (type === "Complete" || type === "Failed") && is === "True",
  );
}

export function isTracked({ metadata }: Pod): boolean {
  return metadata.finalizers?.includes(trackingFinalizer) ?? false;
}

/** A terminating pod counts as failed, unless the Job waits for its end. */
export function hasFailed(pod: Pod, job: Job): boolean {
  if (pod.status?.phase === "Failed") return true;
  return !waitsForEnd(job) && pod.metadata.deletionTimestamp !== undefined && pod.status?.phase !== "Succeeded";
}

/** The index of a pod; undefined if it has none, or none below the Job's completions. */
export function indexOf(pod: Pod, completions: number): number | undefined {
  const index = countIn(pod, indexAnnotation);
  return index !== undefined && index < completions ? index : undefined;
}

/** Failures of the same index before this pod: those that count, and those that the failure policy ignores. */
export function failuresBefore(pod: Pod): { counted: number; ignored: number } {
  return { counted: countIn(pod, failuresAnnotation) ?? 0, ignored: countIn(pod, ignoredFailuresAnnotation) ?? 0 };
}
