import { findCondition, isTrue } from "../../../language/object/condition.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { failureAnnotation, nodeLabel } from "../names.ts";
import { byAge } from "../placement.ts";

/** What is read of a tuning Job. */
export interface TuningJob extends KubeObject {
  status?: { conditions?: { type: string; status: string; message?: string }[] };
}

export type Tuning =
  | { readonly state: "tuned" | "running" }
  /** `message`: why, with the end of the Job's log. */
  | { readonly state: "failed"; readonly job: string; readonly message: string };

/** How far the newest Job of each node is. Those before it say nothing about the node's state now. */
export function tuningOfNodes(jobs: readonly TuningJob[]): Map<string, Tuning> {
  const newest = new Map<string, Tuning>();
  for (const job of jobs.toSorted(byAge)) {
    const node = job.metadata.labels?.[nodeLabel];
    if (node !== undefined) newest.set(node, tuningOf(job));
  }
  return newest;
}

export function isFinished({ status }: TuningJob): boolean {
  return isTrue(status?.conditions, "Complete") || isTrue(status?.conditions, "Failed");
}

function tuningOf(job: TuningJob): Tuning {
  const { metadata, status } = job;
  if (isTrue(status?.conditions, "Complete")) return { state: "tuned" };
  const failed = findCondition(status?.conditions, "Failed");
  const reported = metadata.annotations?.[failureAnnotation];
  if (failed?.status !== "True" && reported === undefined) return { state: "running" };
  return { state: "failed", job: metadata.name ?? "", message: reported ?? failed?.message ?? "the Job failed" };
}
