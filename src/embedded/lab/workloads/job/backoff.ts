import type { ContainerStatus } from "kubernetes-types/core/v1.js";
import { findCondition } from "../../../../language/object/condition.ts";
import { parseTime } from "../../../../language/object/time.ts";
import type { Pod } from "../workload-objects.ts";

/** Failures since the last success, and when the last of them was. */
export interface FailureRecord {
  failures: number;
  lastAt: number;
}

export const noFailures: FailureRecord = { failures: 0, lastAt: 0 };

const firstMs = 10_000;
const longestMs = 600_000;

/** The record after these pods ended. */
export function recordAfter(before: FailureRecord, succeeded: readonly Pod[], failed: readonly Pod[]): FailureRecord {
  if (succeeded.length === 0 && failed.length === 0) return before;
  const lastSuccess = succeeded.length > 0 ? Math.max(...succeeded.map(finishedAt)) : -Infinity;
  const since = failed.map(finishedAt).filter((time) => time > lastSuccess);
  if (succeeded.length > 0 && since.length === 0) return noFailures;
  return {
    failures: (succeeded.length > 0 ? 0 : before.failures) + since.length,
    lastAt: Math.max(...since),
  };
}

/** The delay of the next pod: 10 s, doubling with each failure to 10 minutes. */
export function waitMs({ failures, lastAt }: FailureRecord, now: number): number {
  if (failures === 0) return 0;
  return Math.max(0, Math.min(longestMs, firstMs * 2 ** (failures - 1)) - (now - lastAt));
}

export function finishedAt(pod: Pod): number {
  const { metadata, status } = pod;
  const ready = findCondition(status?.conditions, "Ready");
  return (
    containersFinishedAt(pod) ??
    (ready?.status === "False" ? parseTime(ready.lastTransitionTime ?? "") : undefined) ??
    deletedAt(pod) ??
    parseTime(metadata.creationTimestamp ?? "") ??
    0
  );
}

function containersFinishedAt({ spec, status }: Pod): number | undefined {
  const sidecars = new Set(
    (spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === "Always").map(({ name }) => name),
  );
  const counted: ContainerStatus[] = [
    ...(status?.containerStatuses ?? []),
    ...(status?.initContainerStatuses ?? []).filter(({ name }) => sidecars.has(name)),
  ];
  const times = counted.map(({ state }) => parseTime(state?.terminated?.finishedAt ?? ""));
  return times.length > 0 && times.every((time) => time !== undefined) ? Math.max(...times) : undefined;
}

function deletedAt({ metadata }: Pod): number | undefined {
  const end = parseTime(metadata.deletionTimestamp ?? "");
  return end === undefined ? undefined : end - (metadata.deletionGracePeriodSeconds ?? 0) * 1000;
}
