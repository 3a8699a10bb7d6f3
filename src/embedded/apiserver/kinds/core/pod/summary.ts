import type { ContainerStatus, Pod } from "kubernetes-types/core/v1.js";

/** What `kubectl get pods` prints of a pod. */
export interface PodSummary {
  readonly reason: string;
  readonly ready: number;
  /** Containers that should be ready: regular ones and sidecars. */
  readonly containers: number;
  readonly restarts: number;
  readonly lastRestart: string | undefined;
}

interface Count {
  reason: string;
  ready: number;
  restarts: number;
  lastRestart: string | undefined;
}

export function summarise(pod: Pod): PodSummary {
  const { spec, status, metadata } = pod;
  const initContainers = spec?.initContainers ?? [];
  const sidecars = new Set(
    initContainers.filter(({ restartPolicy }) => restartPolicy === "Always").map(({ name }) => name),
  );
  const count: Count = { reason: status?.reason || status?.phase || "", ready: 0, restarts: 0, lastRestart: undefined };
  if (hasCondition(pod, "PodScheduled", ({ reason }) => reason === "SchedulingGated")) count.reason = "SchedulingGated";
  const initialising = countInit(status?.initContainerStatuses ?? [], sidecars, initContainers.length, count);
  if (!initialising || hasCondition(pod, "Initialized", ({ status: is }) => is === "True"))
    countMain(pod, sidecars, count);
  if (metadata?.deletionTimestamp) {
    if (status?.reason === "NodeLost") count.reason = "Unknown";
    else if (status?.phase !== "Failed" && status?.phase !== "Succeeded") count.reason = "Terminating";
  }
  return { ...count, containers: (spec?.containers ?? []).length + sidecars.size };
}

/** Returns whether init containers are still running. */
function countInit(
  statuses: readonly ContainerStatus[],
  sidecars: ReadonlySet<string>,
  total: number,
  count: Count,
): boolean {
  for (const [index, container] of statuses.entries()) {
    countRestarts(container, count);
    const { terminated, waiting } = container.state ?? {};
    if (terminated && terminated.exitCode === 0) continue;
    if (sidecars.has(container.name) && container.started) {
      if (container.ready) count.ready++;
      continue;
    }
    if (terminated) count.reason = `Init:${terminated.reason || exit(terminated)}`;
    else if (waiting?.reason && waiting.reason !== "PodInitializing") count.reason = `Init:${waiting.reason}`;
    else count.reason = `Init:${index}/${total}`;
    return true;
  }
  return false;
}

function countMain(pod: Pod, sidecars: ReadonlySet<string>, count: Count): void {
  count.restarts = 0;
  count.lastRestart = undefined;
  for (const container of pod.status?.initContainerStatuses ?? [])
    if (sidecars.has(container.name)) countRestarts(container, count);
  let running = false;
  for (const container of (pod.status?.containerStatuses ?? []).toReversed()) {
    countRestarts(container, count);
    const { waiting, terminated, running: runs } = container.state ?? {};
    if (waiting?.reason) count.reason = waiting.reason;
    else if (terminated) count.reason = terminated.reason || exit(terminated);
    else if (container.ready && runs) {
      running = true;
      count.ready++;
    }
  }
  if (count.reason === "Completed" && running)
    count.reason = hasCondition(pod, "Ready", ({ status }) => status === "True") ? "Running" : "NotReady";
}

function countRestarts({ restartCount, lastState }: ContainerStatus, count: Count): void {
  count.restarts += restartCount ?? 0;
  const finished = lastState?.terminated?.finishedAt;
  if (finished && (!count.lastRestart || finished > count.lastRestart)) count.lastRestart = finished;
}

function exit({ signal, exitCode }: { signal?: number; exitCode: number }): string {
  return signal ? `Signal:${signal}` : `ExitCode:${exitCode}`;
}

function hasCondition(
  pod: Pod,
  type: string,
  is: (condition: { status: string; reason?: string }) => boolean,
): boolean {
  return (pod.status?.conditions ?? []).some((condition) => condition.type === type && is(condition));
}
