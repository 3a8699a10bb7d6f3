import { findCondition, isTrue } from "../../../language/object/condition.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { failureAnnotation, nodeLabel } from "../names.ts";
import type { ConfigMap } from "../gate/release.ts";
import { unknownIn } from "../on-node/node-report.ts";
import { byAge } from "../placement.ts";

/** What is read of a tuning Job. */
export interface TuningJob extends KubeObject {
  status?: { conditions?: { type: string; status: string; message?: string }[] };
}

export type Tuning =
  | { readonly state: "tuned" | "running" }
  /** `message`: why, with the end of the Job's log, or the databases whose CPUs are not known. */
  | { readonly state: "failed"; readonly reason: "TuningFailed" | "CpusUnknown"; readonly message: string };

/**
 * How far the newest Job of each node is. Those before it say nothing about the node's state now. Where the agent cannot find the
 * CPUs of databases, there is none, and it is that. By the label of the node.
 */
export function tuningOfNodes(jobs: readonly TuningJob[], reports: readonly ConfigMap[]): Map<string, Tuning> {
  const newest = new Map<string, Tuning>();
  for (const job of jobs.toSorted(byAge)) {
    const node = job.metadata.labels?.[nodeLabel];
    if (node !== undefined) newest.set(node, tuningOf(job));
  }
  for (const report of reports) {
    const node = report.metadata.labels?.[nodeLabel];
    const message = unknownIn(report);
    if (node !== undefined && message !== "") newest.set(node, { state: "failed", reason: "CpusUnknown", message });
  }
  return newest;
}

function tuningOf(job: TuningJob): Tuning {
  const { metadata, status } = job;
  if (isTrue(status?.conditions, "Complete")) return { state: "tuned" };
  const failed = findCondition(status?.conditions, "Failed");
  const reported = metadata.annotations?.[failureAnnotation];
  if (failed?.status !== "True" && reported === undefined) return { state: "running" };
  const why = reported ?? failed?.message ?? "it says not why";
  return { state: "failed", reason: "TuningFailed", message: `Job ${metadata.name} failed: ${why}` };
}
