import { omitUndefined } from "../../../../language/object/json.ts";
import { type Condition, setCondition } from "../../../../language/object/condition.ts";
import { formatTime, parseTime } from "../../../../language/object/time.ts";
import { countOf } from "../pods/replicas.ts";
import { isReady, isTerminating } from "../pods/pod-state.ts";
import type { Pod, PodDisruptionBudget } from "../workload-objects.ts";

type Status = NonNullable<PodDisruptionBudget["status"]>;

/** How many pods there should be, or why that is unknown. */
export type ExpectedPods = { type: "count"; count: number } | { type: "unknown"; message: string };

export interface BudgetInput {
  budget: PodDisruptionBudget;
  /** The pods that its selector matches. */
  pods: readonly Pod[];
  /** By the scale of their owners, where `needsScale`. */
  expected: ExpectedPods;
  now: number;
}

export interface BudgetDecision {
  status: Status;
  /** When a granted eviction expires whose pod was not deleted. */
  requeueAfterMs?: number | undefined;
}

/** A granted eviction expires if the pod is not deleted by then, as in kube-controller-manager. */
const deletionTimeoutMs = 2 * 60_000;

/** Whether the expected number of pods is the scale of their owners; otherwise the existing pods are counted. */
export function needsScale({ spec }: PodDisruptionBudget): boolean {
  return spec?.maxUnavailable !== undefined || typeof spec?.minAvailable === "string";
}

export function budgetStatus({ budget, pods, expected, now }: BudgetInput): BudgetDecision {
  const generation = budget.metadata.generation;
  if (expected.type === "unknown") {
    const failed = { status: "False", reason: "SyncFailed", message: expected.message } as const;
    return { status: { ...emptyStatus(budget), ...budget.status, ...verdict(budget, 0, failed, now) } };
  }
  const disrupted = stillDisrupted(budget, pods, now);
  const healthy = pods.filter(
    (pod) => isReady(pod) && !isTerminating(pod) && !disrupted.has(pod.metadata.name ?? ""),
  ).length;
  const desired = desiredHealthy(budget, expected.count);
  // Without any expected pod no disruption is allowed: a budget starts closed.
  const allowed = expected.count <= 0 ? 0 : Math.max(0, healthy - desired);
  const found =
    allowed > 0
      ? ({ status: "True", reason: "SufficientPods", message: "" } as const)
      : ({ status: "False", reason: "InsufficientPods", message: "" } as const);
  const times = Array.from(disrupted.values(), (time) => (parseTime(time) ?? now) + deletionTimeoutMs - now);
  return {
    status: omitUndefined({
      ...verdict(budget, allowed, found, now),
      observedGeneration: generation,
      currentHealthy: healthy,
      desiredHealthy: desired,
      expectedPods: expected.count,
      disruptedPods: disrupted.size > 0 ? Object.fromEntries(disrupted) : undefined,
    }),
    requeueAfterMs: times.length > 0 ? Math.max(0, Math.min(...times)) : undefined,
  };
}

function emptyStatus({ metadata }: PodDisruptionBudget): Status {
  return omitUndefined({
    observedGeneration: metadata.generation,
    currentHealthy: 0,
    desiredHealthy: 0,
    expectedPods: 0,
    disruptionsAllowed: 0,
  });
}

function verdict(
  { metadata, status }: PodDisruptionBudget,
  disruptionsAllowed: number,
  outcome: Pick<Condition, "status" | "reason" | "message">,
  now: number,
): Pick<Status, "disruptionsAllowed" | "conditions"> {
  const condition = { type: "DisruptionAllowed", observedGeneration: metadata.generation, ...outcome };
  const before = (status?.conditions ?? []) as Condition[];
  return {
    disruptionsAllowed,
    conditions: setCondition(before, condition, formatTime(now)) as NonNullable<Status["conditions"]>,
  };
}

function desiredHealthy({ spec }: PodDisruptionBudget, expected: number): number {
  if (spec?.maxUnavailable !== undefined) return Math.max(0, expected - countOf(spec.maxUnavailable, expected, "up"));
  return countOf(spec?.minAvailable ?? 0, expected, "up");
}

/** Existing pods with a granted eviction, and its time. */
function stillDisrupted({ status }: PodDisruptionBudget, pods: readonly Pod[], now: number): Map<string, string> {
  const disrupted = new Map<string, string>();
  const granted = new Map(Object.entries(status?.disruptedPods ?? {}));
  for (const pod of pods) {
    const name = pod.metadata.name ?? "";
    const time = granted.get(name);
    if (time === undefined || isTerminating(pod)) continue;
    if ((parseTime(time) ?? 0) + deletionTimeoutMs > now) disrupted.set(name, time);
  }
  return disrupted;
}
