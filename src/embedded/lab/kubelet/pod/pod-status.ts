import type { Container, ContainerStatus, PodCondition, PodStatus } from "kubernetes-types/core/v1.js";
import { equal } from "../../../../language/object/json.ts";
import { formatTime } from "../../../../language/object/time.ts";
import { containerId } from "../container/container-id.ts";
import type { ContainerRun, ContainerState } from "../container/container-run.ts";
import type { Pod } from "./pod-admission.ts";

export interface PodView {
  readonly pod: Pod;
  readonly containers: readonly ContainerRun[];
  /** No container runs, and none will be started. */
  readonly over: boolean;
  /** The kubelet itself failed the pod: not admitted, or past its deadline. */
  readonly failure?: { readonly reason: string; readonly message: string } | undefined;
  readonly startTime: string;
  readonly hostIP: string;
  /** Absent for a pod that was not admitted. */
  readonly podIP?: string;
}

/** The fields of a pod's status that its kubelet writes. Conditions are the kubelet's own, without times. */
export type KubeletStatus = Pick<
  PodStatus,
  | "phase"
  | "reason"
  | "message"
  | "hostIP"
  | "hostIPs"
  | "podIP"
  | "podIPs"
  | "startTime"
  | "containerStatuses"
  | "initContainerStatuses"
> & { observedGeneration?: number; conditions: PodCondition[] };

type Phase = "Pending" | "Running" | "Succeeded" | "Failed";

export function podStatus(view: PodView): KubeletStatus {
  const { pod, containers, failure, startTime, hostIP, podIP } = view;
  const phase = phaseOf(view);
  const generation = pod.metadata.generation;
  const observed = generation === undefined ? {} : { observedGeneration: generation };
  const rejected = failure !== undefined && podIP === undefined;
  const statuses = (of: readonly Container[] | undefined): ContainerStatus[] =>
    (of ?? []).flatMap((container) => {
      const run = containers.find(({ name }) => name === container.name);
      return run ? [containerStatus(pod, container, run)] : [];
    });
  const initStatuses = statuses(pod.spec?.initContainers);
  return {
    phase,
    ...(failure ? { reason: failure.reason, message: failure.message } : {}),
    startTime: startTime,
    ...observed,
    conditions: rejected ? [] : conditionsOf(view, phase).map((condition) => ({ ...condition, ...observed })),
    ...(podIP === undefined
      ? {}
      : {
          hostIP,
          hostIPs: [{ ip: hostIP }],
          podIP,
          podIPs: [{ ip: podIP }],
          containerStatuses: statuses(pod.spec?.containers),
          ...(initStatuses.length > 0 ? { initContainerStatuses: initStatuses } : {}),
        }),
  };
}

/** The checks are in the kubelet's order. */
export function phaseOf({ pod, containers, over, failure }: PodView): Phase {
  if (failure) return "Failed";
  const never = pod.spec?.restartPolicy === "Never";
  const inits = containers.filter(({ role }) => role === "init");
  if (inits.some(({ lastEnd }) => lastEnd && lastEnd.exitCode !== 0) && never) return "Failed";
  if (!over && inits.some(({ ended }) => ended?.exitCode !== 0)) {
    const startedBefore = containers.some((run) => run.role === "main" && (run.running || run.lastEnd));
    if (!startedBefore) return "Pending";
  }
  const mains = containers.filter(({ role }) => role === "main");
  if (over) {
    const ended = mains.filter(({ lastEnd }) => lastEnd);
    if (ended.length < mains.length) return "Failed";
    return ended.every(({ lastEnd }) => lastEnd?.exitCode === 0) ? "Succeeded" : "Failed";
  }
  return mains.some((run) => !run.running && !run.lastEnd) ? "Pending" : "Running";
}

function containerStatus(pod: Pod, container: Container, run: ContainerRun): ContainerStatus {
  const image = container.image ?? "";
  const hasRun = run.running || run.lastEnd !== undefined;
  const idOf = (restart: number): string => `attune://${containerId(pod.metadata.uid ?? "", run.name, restart)}`;
  const id = idOf(run.restarts);
  return {
    name: run.name,
    image,
    imageID: hasRun ? `attune://${image}` : "",
    ...(hasRun ? { containerID: id } : {}),
    ready: run.ready,
    started: run.running,
    restartCount: run.restarts,
    state: stateOf(run.state, id),
    // While it waits for its restart, the latest run is the one that ended.
    lastState: run.last ? stateOf(run.last, run.state.type === "waiting" ? id : idOf(run.restarts - 1)) : {},
  };
}

function stateOf(state: ContainerState, containerID: string): NonNullable<ContainerStatus["state"]> {
  switch (state.type) {
    case "waiting":
      return { waiting: { reason: state.reason, ...(state.message ? { message: state.message } : {}) } };
    case "running":
      return { running: { startedAt: formatTime(state.startedAt) } };
    default: {
      const { exitCode, reason, message, startedAt, finishedAt } = state;
      return {
        terminated: {
          exitCode,
          reason,
          ...(message ? { message } : {}),
          startedAt: formatTime(startedAt),
          finishedAt: formatTime(finishedAt),
          containerID,
        },
      };
    }
  }
}

type KubeletCondition = Pick<PodCondition, "type" | "status" | "reason" | "message">;

function conditionsOf(view: PodView, phase: Phase): KubeletCondition[] {
  const { over, podIP } = view;
  const containersReady = readinessOf(view, phase);
  return [
    { type: "PodReadyToStartContainers", status: podIP !== undefined && !over ? "True" : "False" },
    initializedOf(view, phase),
    { type: "Ready", ...(containersReady.status === "True" ? gatesOf(view.pod) : containersReady) },
    { type: "ContainersReady", ...containersReady },
    { type: "PodScheduled", status: "True" },
  ];
}

function initializedOf({ containers }: PodView, phase: Phase): KubeletCondition {
  const type = "Initialized";
  if (phase === "Succeeded") return { type, status: "True", reason: "PodCompleted" };
  const started = containers.some((run) => run.role === "main" && (run.running || run.lastEnd));
  const incomplete = containers.filter(
    (run) => (run.role === "init" && run.ended?.exitCode !== 0) || (run.role === "sidecar" && !run.running),
  );
  if (started || incomplete.length === 0) return { type, status: "True" };
  const message = `containers with incomplete status: ${names(incomplete)}`;
  return { type, status: "False", reason: "ContainersNotInitialized", message };
}

function readinessOf({ containers }: PodView, phase: Phase): Omit<KubeletCondition, "type"> {
  if (phase === "Succeeded") return { status: "False", reason: "PodCompleted" };
  if (phase === "Failed") return { status: "False", reason: "PodFailed" };
  const unready = containers.filter(({ role, ready }) => role !== "init" && !ready);
  if (unready.length === 0) return { status: "True" };
  return {
    status: "False",
    reason: "ContainersNotReady",
    message: `containers with unready status: ${names(unready)}`,
  };
}

/** Readiness gates: conditions that other controllers set. */
function gatesOf({ spec, status }: Pod): Omit<KubeletCondition, "type"> {
  const closed: string[] = [];
  for (const { conditionType } of spec?.readinessGates ?? []) {
    const found = status?.conditions?.find(({ type }) => type === conditionType);
    if (!found) closed.push(`corresponding condition of pod readiness gate "${conditionType}" does not exist.`);
    else if (found.status !== "True")
      closed.push(`the status of pod readiness gate "${conditionType}" is not "True", but ${found.status}`);
  }
  if (closed.length === 0) return { status: "True" };
  return { status: "False", reason: "ReadinessGatesNotReady", message: closed.join(", ") };
}

function names(runs: readonly ContainerRun[]): string {
  return `[${runs.map(({ name }) => name).join(" ")}]`;
}

/**
 * The strategic merge patch from the stored status to this one; `undefined` when they are equal. Conditions of other
 * controllers stay as they are.
 */
export function statusPatch(stored: PodStatus | undefined, wanted: KubeletStatus, now: number): object | undefined {
  const patch: Record<string, unknown> = {};
  const before = (stored ?? {}) as Record<string, unknown>;
  const { conditions, ...fields } = wanted;
  for (const [field, value] of Object.entries(fields)) if (!equal(before[field], value)) patch[field] = value;
  const changed = conditions.flatMap((condition) => {
    const old = stored?.conditions?.find(({ type }) => type === condition.type);
    if (old && old.status === condition.status && sameText(old, condition)) return [];
    const lastTransitionTime = old?.status === condition.status ? old.lastTransitionTime : formatTime(now);
    // In a merge, a field that is left out keeps its old value.
    const cleared = { ...(old?.reason ? { reason: null } : {}), ...(old?.message ? { message: null } : {}) };
    return [{ ...cleared, ...condition, lastTransitionTime }];
  });
  if (changed.length > 0) patch["conditions"] = changed;
  return Object.keys(patch).length > 0 ? patch : undefined;
}

function sameText(a: PodCondition, b: PodCondition): boolean {
  const generation = (of: PodCondition): unknown => (of as { observedGeneration?: number }).observedGeneration;
  return (
    (a.reason ?? "") === (b.reason ?? "") && (a.message ?? "") === (b.message ?? "") && generation(a) === generation(b)
  );
}
