import { kinds } from "../../../../cluster/kube/kinds.ts";
import { matchesLabels } from "../../../../language/object/label-selector.ts";
import { keyOf, type KubeObject } from "../../../../language/object/meta.ts";
import { Controller, type Result, source } from "../../../../cluster/runtime/controller/controller.ts";
import { selectorOf } from "../pods/claim.ts";
import { controllerOf } from "../pods/controller-of.ts";
import { isFinished } from "../pods/pod-state.ts";
import { ResyncInterval } from "../resync-interval.ts";
import { byController, byNamespace } from "../workload-caches.ts";
import type { Pod } from "../workload-objects.ts";
import { runWithEvents, type WorkloadControllerOptions, type WorkloadOptions } from "../workload-options.ts";
import { writeStatus } from "../write-status.ts";
import { budgetStatus, type ExpectedPods, needsScale } from "./budget-status.ts";
import { expectedByOwners } from "./owner-scale.ts";

/** A reconcile reads all pods of the namespace. */
const intervalMsPerPod = 0.01;

/** As `system:serviceaccount:kube-system:disruption-controller`. */
export function runDisruptionBudgets(options: WorkloadOptions & { signal: AbortSignal }): Promise<void> {
  return runWithEvents("controllermanager", options, disruptionBudgetController);
}

export function disruptionBudgetController(options: WorkloadControllerOptions): Controller {
  const { client, caches, recorder, clock, log, metrics } = options;
  const { pods, podDisruptionBudgets: budgets, deployments, replicaSets, statefulSets } = caches;
  const interval = new ResyncInterval(clock, intervalMsPerPod);

  const protecting = (pod: Pod): string[] =>
    budgets
      .byIndex(byNamespace, pod.metadata.namespace ?? "")
      .filter((budget) => matchesLabels(selectorOf(budget), pod.metadata.labels))
      .map(keyOf);
  /** All pods of an owner have the same budgets: one of them is enough. */
  const protectingPodsOf = (owner: KubeObject): string[] =>
    pods
      .byIndex(byController, owner.metadata.uid ?? "")
      .slice(0, 1)
      .flatMap(protecting);
  const protectingPodsBelow = (deployment: KubeObject): string[] =>
    replicaSets.byIndex(byController, deployment.metadata.uid ?? "").flatMap(protectingPodsOf);

  return new Controller({
    name: "disruption-budget",
    clock,
    log,
    metrics,
    sources: [
      source(budgets, ({ object }) => [keyOf(object)]),
      source(pods, (event) => [
        ...protecting(event.object),
        ...(event.type === "updated" ? protecting(event.before) : []),
      ]),
      source(statefulSets, (event) => (isRescaled(event) ? protectingPodsOf(event.object) : [])),
      source(replicaSets, (event) =>
        isRescaled(event) && !controllerOf(event.object) ? protectingPodsOf(event.object) : [],
      ),
      source(deployments, (event) => (isRescaled(event) ? protectingPodsBelow(event.object) : [])),
    ],
    async reconcile(key, { signal }): Promise<Result | undefined> {
      const budget = budgets.get(key);
      if (!budget) {
        interval.forget(key);
        return undefined;
      }
      const intervalMs = interval.waitMs(key);
      if (intervalMs > 0) return { requeueAfterMs: intervalMs };
      const inNamespace = pods.byIndex(byNamespace, budget.metadata.namespace ?? "");
      interval.started(key, inNamespace.length);

      const selector = selectorOf(budget);
      const matching = inNamespace.filter((pod) => matchesLabels(selector, pod.metadata.labels) && !isFinished(pod));
      if (matching.length === 0)
        recorder.record({ regarding: budget, type: "Normal", reason: "NoPods", message: "No matching pods found" });
      const expected: ExpectedPods = needsScale(budget)
        ? await expectedByOwners(matching, caches, client, signal)
        : { type: "count", count: matching.length };
      if (expected.type === "unknown") {
        const message = `Failed to calculate the number of expected pods: ${expected.message}`;
        recorder.record({ regarding: budget, type: "Warning", reason: "CalculateExpectedPodCountFailed", message });
      }
      const { status, requeueAfterMs } = budgetStatus({ budget, pods: matching, expected, now: clock.now() });
      const written = await writeStatus({ client, kind: kinds.podDisruptionBudget, object: budget, status, signal });
      // Evictions write the same status: an outdated one is counted again.
      if (written === "outdated" || expected.type === "unknown") return { requeue: true };
      return { requeueAfterMs };
    },
  });
}

function isRescaled(event: { type: string; object: KubeObject; before?: KubeObject }): boolean {
  const generation = (object: KubeObject | undefined): number | undefined => object?.metadata.generation;
  return event.type !== "updated" || generation(event.before) !== generation(event.object);
}
