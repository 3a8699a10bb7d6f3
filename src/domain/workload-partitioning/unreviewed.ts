import { at, text } from "../../language/object/json.ts";
import type { KubeObject } from "../../language/object/meta.ts";
import { type PlannedEvent, referenceTo } from "../../language/object/plan.ts";
import type { Admission, Review } from "./admission.ts";
import { allowedAnnotation, coresSuffix, warningAnnotation } from "./names.ts";
import { admitNode } from "./node/admit-node.ts";
import { admitPod } from "./pod/admit-pod.ts";
import { annotationsOf } from "./pod/pod.ts";
import { targetOf } from "./pod/target.ts";
import { warningTexts } from "./pod/texts.ts";
import { validatePod } from "./pod/validate-pod.ts";
import type { ReleaseRules } from "./release.ts";
import type { PartitioningView } from "./view.ts";

/** An object that is not partitioned as it asks: mostly one that was created while the webhook did not answer. */
export interface Unreviewed extends KubeObject {
  readonly event: PlannedEvent;
}

/**
 * A pod that asks for partitioning as no admitted pod does, since admission of an admitted pod changes nothing. Whether its
 * namespace allows the workload is not asked: that may have changed since the pod was created.
 */
export function unreviewedPod(pod: KubeObject, release: ReleaseRules): Unreviewed | undefined {
  const review = reviewOf(pod, release);
  const phase = at(pod, "status", "phase");
  if (phase === "Succeeded" || phase === "Failed") return undefined;
  const warning = warningTexts["node-without-cores"](text(at(pod, "spec", "nodeName")));
  if (annotationsOf(pod)[warningAnnotation] === warning) return reported(pod, withoutCoresText);
  const answer = [admitPod, validatePod].map((decide) => decide(review)).find(({ type }) => type !== "unchanged");
  return answer && reported(pod, podText(answer));
}

/** A node without the resource, which pods of partitioned workloads need. */
export function unreviewedNode(node: KubeObject, release: ReleaseRules): Unreviewed | undefined {
  if (admitNode(reviewOf(node, release)).type !== "refused") return undefined;
  return reported(
    node,
    `the cluster is partitioned, but the node has no ${coresSuffix} in its capacity and allocatable: no pod of a partitioned workload runs there. Its kubelet needs the pinning file before it starts.`,
  );
}

function reported({ apiVersion, kind, metadata }: KubeObject, message: string): Unreviewed {
  const { name, namespace, uid } = metadata;
  const object = { apiVersion, kind, metadata: { name, ...(namespace === undefined ? {} : { namespace }), uid } };
  const regarding = referenceTo(object);
  return { ...object, event: { regarding, type: "Warning", reason: "NotPartitioned", message } };
}

const withoutCoresText =
  "the pod asked for partitioning when its node had no cores, and uses CPUs of other workloads. Delete the pod once the node has cores, so that it is created again.";

function podText({ rule, outcome, problems }: Admission): string {
  const missed =
    outcome === "rewritten"
      ? "its CPU requests count for CPUs of other workloads"
      : `admission would have ${outcome} it (${rule}${problems[0] ? `: ${problems[0].message}` : ""})`;
  return `the pod asks for partitioning, but the webhook did not answer when it was created: ${missed}. Delete the pod, so that it is created again.`;
}

/** As if the object were created now, by its node, in a namespace that allows its workload. */
function reviewOf(object: KubeObject, release: ReleaseRules): Review {
  const target = targetOf(annotationsOf(object));
  const annotations = target.type === "workload" ? { [allowedAnnotation]: target.workload } : {};
  const name = object.metadata.namespace ?? "";
  const view: PartitioningView = {
    ready: true,
    identifier: { state: "known", mode: "AllNodes", controlPlaneTopology: "any", infrastructureTopology: "any" },
    nodes: [],
    coresFrom: "kubelet",
    namespace: { type: "found", name, annotations },
  };
  const user = { username: `system:node:${String(at(object, "spec", "nodeName"))}`, groups: ["system:nodes"] };
  return { operation: "CREATE", subresource: "", object, user, view, release };
}
