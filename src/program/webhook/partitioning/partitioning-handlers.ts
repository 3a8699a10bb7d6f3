import type { Admission, Review } from "../../../domain/workload-partitioning/admission.ts";
import { admitMixedCpus } from "../../../domain/workload-partitioning/mixed-cpus/admit-mixed-cpus.ts";
import { admitNode } from "../../../domain/workload-partitioning/node/admit-node.ts";
import { admitPod } from "../../../domain/workload-partitioning/pod/admit-pod.ts";
import { keepInstructions } from "../../../domain/workload-partitioning/pod/instructions.ts";
import { validatePod } from "../../../domain/workload-partitioning/pod/validate-pod.ts";
import type { ReleaseRules } from "../../../domain/workload-partitioning/release.ts";
import type { PartitioningView } from "../../../domain/workload-partitioning/view.ts";
import type { AdmissionHandler, AdmissionRequest, AdmissionRule, Decision } from "../handler.ts";
import {
  asksForPartitioning,
  asksForSharedCpus,
  changesInstructions,
  lacksCores,
  podEntries,
} from "./pod-conditions.ts";
import { refusal } from "./refusal.ts";
import type { RefusalEvents } from "./refusal-events.ts";

export interface PartitioningHandlerOptions {
  readonly release: ReleaseRules;
  /** Where the webhook runs. */
  readonly namespace: string;
  /** What admission knows of the cluster, for a request in this namespace. */
  readonly view: (namespace: string) => Promise<PartitioningView>;
  /** Where refusals are recorded. */
  readonly refusals?: Pick<RefusalEvents, "answered"> | undefined;
}

/** Users wait for their pods: a review that takes longer has failed. */
const timeoutSeconds = 2;

const core = (resource: string, ...operations: string[]): AdmissionRule => ({
  apiGroups: [""],
  apiVersions: ["v1"],
  resources: [resource],
  operations,
});

/** Pods and nodes of partitioned clusters. Mutating reviews of pods come first, so that the validating one sees their result. */
export function partitioningHandlers(options: PartitioningHandlerOptions): AdmissionHandler[] {
  const { release, namespace, view, refusals } = options;
  const answered = refusals && { answered: refusals.answered };
  const reviewed =
    (decide: (review: Review) => Admission) =>
    async (request: AdmissionRequest): Promise<Decision> => {
      const { object, oldObject, operation, subResource = "", userInfo } = request;
      if (!object) return { type: "allow" };
      const known = await view(request.namespace ?? "");
      const about = { operation, subresource: subResource, object, before: oldObject ?? undefined, user: userInfo };
      const answer = decide({ ...about, view: known, release });
      return decisionOf(answer, request);
    };
  const pods = [core("pods", "CREATE")];
  const kept: AdmissionHandler = {
    name: "pods-instructions",
    type: "mutating",
    rules: [core("pods", "UPDATE")],
    entries: podEntries(changesInstructions, namespace),
    timeoutSeconds,
    review: reviewed(keepInstructions),
  };
  return [
    {
      name: "pods-partitioning",
      type: "mutating",
      rules: pods,
      entries: podEntries(asksForPartitioning, namespace),
      timeoutSeconds,
      review: reviewed(admitPod),
      ...answered,
    },
    {
      name: "pods-shared-cpus",
      type: "mutating",
      rules: pods,
      entries: podEntries(asksForSharedCpus, namespace),
      timeoutSeconds,
      review: reviewed(admitMixedCpus),
      ...answered,
    },
    ...(release.instructions === "kept" ? [kept] : []),
    {
      name: "pods-partitioned",
      type: "validating",
      rules: [...pods, core("pods/resize", "UPDATE")],
      entries: podEntries(asksForPartitioning, namespace),
      timeoutSeconds,
      review: reviewed(validatePod),
      ...answered,
    },
    {
      name: "nodes-partitioned",
      type: "validating",
      rules: [core("nodes", "CREATE", ...(release.nodeUpdates === "refused" ? ["UPDATE"] : []))],
      // A cluster whose webhook does not answer must still get nodes: one of them may be for the webhook.
      entries: [{ failurePolicy: "Ignore", matchConditions: [lacksCores] }],
      timeoutSeconds,
      review: reviewed(admitNode),
      ...answered,
    },
  ];
}

function decisionOf(
  { type, object, rule, outcome, warnings, problems }: Admission,
  request: AdmissionRequest,
): Decision {
  const verdict = { rule, outcome };
  if (type === "refused") return { ...refusal(problems, request), warnings, verdict };
  return { type: "allow", warnings, verdict, ...(type === "changed" ? { object } : {}) };
}
