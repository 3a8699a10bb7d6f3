import type { Pod } from "kubernetes-types/core/v1.js";
import type { PodDisruptionBudget } from "kubernetes-types/policy/v1.js";
import { clone, type Json } from "../../../../language/object/json.ts";
import { fromLabelSelector, matchesLabels } from "../../../../language/object/label-selector.ts";
import type { KubeObject } from "../../../../language/object/meta.ts";
import { Admission } from "../../admission/admission.ts";
import { definitionOf } from "../../kinds/definitions.ts";
import type { ActionContext, Subresource } from "../../resource.ts";
import { badRequest, notFound, StatusError } from "../../status-error.ts";
import type { Entry } from "../../storage/store.ts";
import { timestamp, type RequestContext, type Services } from "../context.ts";
import { remove } from "../delete.ts";
import { draftOf } from "../draft.ts";
import { succeeded } from "./pod-binding.ts";

type Action = Extract<Subresource, { type: "action" }>;
type Budget = KubeObject & PodDisruptionBudget;

const budgets = "poddisruptionbudgets.policy";

/** `pods/eviction`: a deletion that is refused if a PodDisruptionBudget allows no further disruption. */
export const podEviction = (services: () => Services): Action => ({
  type: "action",
  group: "policy",
  version: "v1",
  kind: "Eviction",
  verbs: ["create"],
  get schema() {
    return definitionOf("policy", "v1", "Eviction");
  },
  perform: async (body, context) => evict(services(), body, context),
});

async function evict(services: Services, body: KubeObject, context: ActionContext): Promise<KubeObject> {
  const { namespace, name, user } = context;
  if (body.metadata.name && body.metadata.name !== name)
    throw badRequest("name in URL does not match name in Eviction object");
  const options = (body.deleteOptions ?? {}) as { dryRun?: string[] };
  const dryRun = context.dryRun || (options.dryRun ?? []).length > 0;
  const resource = services.registry.find("", "v1", "pods");
  const pod = services.reader.head("pods", `${namespace}/${name}`);
  if (!resource || !pod) throw notFound("", "pods", name);
  const deletion: RequestContext = {
    // Admission has seen the eviction; the deletion is not admitted again.
    services: { ...services, admission: new Admission([]) },
    resource,
    user,
    namespace,
    name,
    subresource: "",
    query: new URLSearchParams(),
    userAgent: "",
    warnings: [],
  };
  const deleteOptions = { ...options, ...(dryRun ? { dryRun: ["All"] } : {}) } as unknown as Json;
  if (!needsNoBudget(pod as Pod)) {
    // Preconditions first: the budget is not spent on another pod of the same name.
    await remove(deletion, { ...(deleteOptions as object), dryRun: ["All"] });
    await spendBudget(services, pod, namespace, dryRun);
  }
  await remove(deletion, deleteOptions);
  return succeeded();
}

/** Pods that have ended, have not started or are being deleted do not count against a budget. */
function needsNoBudget({ status, metadata }: Pod): boolean {
  const { phase = "" } = status ?? {};
  return (
    phase === "Succeeded" || phase === "Failed" || phase === "Pending" || metadata?.deletionTimestamp !== undefined
  );
}

async function spendBudget(services: Services, pod: KubeObject, namespace: string, dryRun: boolean): Promise<void> {
  const matching = (services.reader.list(budgets) as Budget[]).filter(
    ({ metadata, spec }) =>
      metadata.namespace === namespace &&
      spec?.selector !== undefined &&
      matchesLabels(fromLabelSelector(spec.selector), pod.metadata.labels),
  );
  if (matching.length > 1)
    throw new StatusError(
      500,
      "InternalError",
      "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.",
      {
        causes: [
          {
            message: "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.",
          },
        ],
      },
    );
  const [found] = matching;
  if (!found) return;
  const key = `${namespace}/${found.metadata.name}`;
  const live = services.store.head(budgets, key);
  const resource = services.registry.find("policy", "v1", "poddisruptionbudgets");
  if (!live || !resource) return;
  const budget = clone(services.views.object(live, resource)) as Budget & { status: Record<string, unknown> };
  if (isUnhealthyAndEvictable(pod as Pod, budget)) return;
  check(budget);
  if (dryRun) return;
  take(budget, pod.metadata.name ?? "", timestamp(services.clock));
  const { after } = await services.store.put(budgets, key, live, draftOf(budget, resource));
  services.views.adopt(after as Entry, resource);
}

/** An unready pod may go while enough others are healthy, or always under AlwaysAllow (unhealthyPodEvictionPolicy). */
function isUnhealthyAndEvictable({ status }: Pod, budget: Budget): boolean {
  const ready = (status?.conditions ?? []).some(
    (condition) => condition.type === "Ready" && condition.status === "True",
  );
  if (ready) return false;
  if ((budget.spec as { unhealthyPodEvictionPolicy?: string }).unhealthyPodEvictionPolicy === "AlwaysAllow")
    return true;
  const { currentHealthy = 0, desiredHealthy = 0, observedGeneration = 0 } = budget.status ?? {};
  return (
    desiredHealthy > 0 && currentHealthy >= desiredHealthy && observedGeneration >= (budget.metadata.generation ?? 0)
  );
}

const full = "Cannot evict pod as it would violate the pod's disruption budget.";

function check({ metadata, status }: Budget): void {
  const { disruptionsAllowed = 0, currentHealthy = 0, desiredHealthy = 0, observedGeneration = 0 } = status ?? {};
  const refuse = (message: string, wait: object = {}): StatusError =>
    new StatusError(429, "TooManyRequests", full, { causes: [{ reason: "DisruptionBudget", message }], ...wait });
  if (observedGeneration < (metadata.generation ?? 0))
    throw refuse(`The disruption budget ${metadata.name} is still being processed by the server.`, {
      retryAfterSeconds: 10,
    });
  if (disruptionsAllowed <= 0)
    throw refuse(
      `The disruption budget ${metadata.name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`,
    );
}

/** The pod counts as disrupted before its deletion, so that two evictions cannot use one allowance. */
function take(budget: Budget, pod: string, now: string): void {
  const status = budget.status as NonNullable<PodDisruptionBudget["status"]> & {
    disruptedPods?: Record<string, string>;
  };
  status.disruptionsAllowed--;
  status.disruptedPods = { ...status.disruptedPods, [pod]: now };
  if (status.disruptionsAllowed > 0) return;
  const condition = {
    type: "DisruptionAllowed",
    status: "False",
    ...(status.observedGeneration ? { observedGeneration: status.observedGeneration } : {}),
    lastTransitionTime: now,
    reason: "InsufficientPods",
    message: "",
  };
  status.conditions = [...(status.conditions ?? []).filter(({ type }) => type !== condition.type), condition];
}
