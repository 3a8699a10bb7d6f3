import { isTrue } from "../../../language/object/condition.ts";
import type { KubeObject } from "../../../language/object/meta.ts";

/** What is read of a tuning Job. */
export interface TuningJob extends KubeObject {
  status?: {
    completionTime?: string;
    conditions?: {
      type: string;
      status: string;
      reason?: string;
      message?: string;
      lastTransitionTime?: string;
    }[];
  };
}

interface ContainerState {
  waiting?: { reason?: string; message?: string };
  running?: object;
  terminated?: { exitCode?: number; reason?: string; message?: string };
}

/** What is read of a pod of a tuning Job. */
export interface JobPod extends KubeObject {
  status?: {
    phase?: string;
    reason?: string;
    message?: string;
    containerStatuses?: { state?: ContainerState; lastState?: ContainerState }[];
  };
}

export type JobProgress =
  | { readonly type: "active" }
  | { readonly type: "complete" }
  | { readonly type: "failed"; readonly atMs: number; readonly why: string };

export function progressOf({ status }: TuningJob): JobProgress {
  const { conditions = [] } = status ?? {};
  if (isTrue(conditions, "Complete")) return { type: "complete" };
  const failed = conditions.find(({ type, status }) => type === "Failed" && status === "True");
  if (!failed) return { type: "active" };
  const { reason = "Failed", message = "", lastTransitionTime = "" } = failed;
  return { type: "failed", atMs: Date.parse(lastTransitionTime) || 0, why: message === "" ? reason : message };
}

export function isOfJob(pod: JobPod, { metadata }: TuningJob): boolean {
  return pod.metadata.ownerReferences?.some(({ uid }) => uid === metadata.uid) ?? false;
}

/** Whether a program of the pod runs, or may start. */
export function isActive({ status }: JobPod): boolean {
  return status?.phase !== "Succeeded" && status?.phase !== "Failed";
}

/** Whether the program of one of the pods has started: then the node may be half tuned. */
export function hasStarted(pods: readonly JobPod[]): boolean {
  return pods.some(
    ({ status }) =>
      status?.containerStatuses?.some(
        ({ state, lastState }) => (state?.running ?? state?.terminated ?? lastState?.terminated) !== undefined,
      ) ?? false,
  );
}

/** Reasons of a kubelet for which a container waits without an error. */
const usual = new Set(["ContainerCreating", "PodInitializing"]);
const longestTail = 2048;

/** What the newest pod of a Job says about its failure: the end of its log, or why it does not start. */
export function troubleOf(pods: readonly JobPod[]): string | undefined {
  const newestFirst = pods.toSorted((a, b) =>
    (b.metadata.creationTimestamp ?? "").localeCompare(a.metadata.creationTimestamp ?? ""),
  );
  for (const { status } of newestFirst) {
    for (const { state, lastState } of status?.containerStatuses ?? []) {
      const ended = state?.terminated ?? lastState?.terminated;
      if (ended && ended.exitCode !== 0)
        return `exit code ${ended.exitCode ?? "unknown"}: ${tail(ended.message ?? ended.reason ?? "")}`;
      const { reason = "", message = "" } = state?.waiting ?? {};
      if (state?.waiting && !usual.has(reason)) return `${reason}: ${tail(message)}`;
    }
    if (status?.phase === "Failed") return `${status.reason ?? "Failed"}: ${tail(status.message ?? "")}`;
  }
  return undefined;
}

/** Programs print what they like: no control character of theirs reaches a terminal. */
function tail(text: string): string {
  // oxlint-disable-next-line no-control-regex
  const printable = text.replace(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/g, " ").trim();
  return printable.length > longestTail ? `…${printable.slice(-longestTail)}` : printable;
}
