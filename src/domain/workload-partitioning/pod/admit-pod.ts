import { partitioningQosClass } from "../../../language/cpu/qos-class.ts";
import { equal } from "../../../language/object/json.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { qualifiedName } from "../../../language/object/names.ts";
import { type Admission, passed, type Problem, refused, type Review, type WarningCode } from "../admission.ts";
import { clusterState } from "../cluster-state.ts";
import { coresOf, warningAnnotation } from "../names.ts";
import { withoutInstructions } from "./instructions.ts";
import { annotationBytes, annotationsLimit, cpuOutOfRange, reasonToLeave } from "./leave-alone.ts";
import { allows, namespaceProblem } from "./namespace.ts";
import { annotationsOf, containersOf, withAnnotations } from "./pod.ts";
import { restore, rewrite, withoutAddedCpu } from "./rewrite.ts";
import { isStaticPod } from "./static-pod.ts";
import { effectProblem, targetOf } from "./target.ts";
import { annotationProblem, forbidden, notAllowed, warningTexts } from "./texts.ts";

/** The mutating phase: moves a new pod that asks for it to reserved CPUs, or removes what it asks for and says why. */
export function admitPod(review: Review): Admission {
  const { object, operation, subresource } = review;
  if (operation !== "CREATE" || subresource !== "") return passed(object, "not-reviewed");
  if (object.kind !== "Pod")
    return refused(object, [forbidden("unexpected-object", `expected a Pod, got ${object.kind}`)]);
  if (isStaticPod(review)) return passed(object, "static-pod");
  const target = targetOf(annotationsOf(object));
  if (target.type === "invalid") return refused(object, [target.problem]);
  if (target.type === "none") return withoutTarget(object);
  const found = decide(review, target);
  if (found.type === "refused") return refused(object, [found.problem]);
  const after = found.type === "rewritten" ? found.pod : leftAlone(object, target.workload, found);
  return {
    type: equal(after, object) ? "unchanged" : "changed",
    object: after,
    rule: found.type === "rewritten" ? "rewritten" : found.code,
    outcome: found.type === "rewritten" ? "rewritten" : "stripped",
    warnings: found.type === "left" && found.warning !== undefined ? [found.warning] : [],
    problems: [],
  };
}

interface LeftAlone {
  readonly type: "left";
  readonly code: WarningCode;
  /** Undefined: the pod is not told. */
  readonly warning: string | undefined;
}

type Found =
  | { readonly type: "refused"; readonly problem: Problem }
  | LeftAlone
  | { readonly type: "rewritten"; readonly pod: KubeObject };

const left = (code: WarningCode, detail = "", isTold = true): LeftAlone => ({
  type: "left",
  code,
  warning: isTold ? warningTexts[code](detail) : undefined,
});
const refusal = (problem: Problem): Found => ({ type: "refused", problem });

function decide({ object, view, release }: Review, { workload, value }: { workload: string; value: string }): Found {
  const state = clusterState(view, workload, release);
  if (state.type === "unknown") return refusal(state.problem);
  if (state.type === "off") return left("partitioning-off", state.why, release.warnIfOff);

  const { namespace } = view;
  if (namespace.type !== "found") return refusal(namespaceProblem(namespace));
  const allowed = allows(namespace, workload, release);
  if (allowed === "no-list" && release.namespaceWithoutList === "warned") return left("ns-not-annotated");
  if (allowed !== "listed")
    return refusal(forbidden("namespace-type-not-allowed", notAllowed(namespace.name, workload)));
  const wrong = effectProblem(value);
  if (wrong) return refusal(wrong);

  const original = annotationsOf(object);
  const reason = reasonToLeave({ pod: object, workload, original, release, view });
  if (reason) return left(reason.code, reason.detail);
  const came = partitioningQosClass(containersOf(object));
  const plain = withoutInstructions(object);
  const pod = came === "BestEffort" ? plain : withoutAddedCpu(plain, { workload, original });
  const before = partitioningQosClass(containersOf(pod));
  const rewritten = rewrite(pod, { workload, class: before, release, original });
  const after = partitioningQosClass(containersOf(rewritten));
  // CPU that was added after an earlier admission can make a pod Guaranteed that was not when it was created.
  const isKept = after === before && (after === came || came === "Guaranteed");
  if (!isKept) return left("qos-would-change", `${came} to ${after}`);
  if (before !== "BestEffort" && !isResourceName(coresOf(workload)))
    return refusal(annotationProblem("target-type-unusable", workload));
  if (annotationBytes(rewritten) > annotationsLimit) return left("annotations-too-large");
  return { type: "rewritten", pod: rewritten };
}

/** An annotation may have capitals in its name; a resource is named in lower case, and quotas reserve the prefix `requests.`. */
function isResourceName(name: string): boolean {
  return qualifiedName(name).length === 0 && !name.startsWith("requests.");
}

/** Settings for CRI-O are ours to give, in every cluster: a user could choose CPUs with them. */
function withoutTarget(object: KubeObject): Admission {
  const pod = withoutInstructions(object);
  if (pod === object) return passed(object, "no-target");
  return { type: "changed", object: pod, rule: "no-target", outcome: "stripped", warnings: [], problems: [] };
}

/** An ordinary pod. What an earlier admission took of its CPU is given back, where that does not change its class. */
function leftAlone(object: KubeObject, workload: string, { warning }: LeftAlone): KubeObject {
  const plain = withoutInstructions(object);
  const origin = { workload, original: annotationsOf(object) };
  const restored = cpuOutOfRange({ pod: object, workload }) ? plain : restore(plain, origin);
  const isSame = restored === plain || classOf(restored) === classOf(plain);
  const pod = isSame ? restored : plain;
  if (warning === undefined) return pod;
  const told = withAnnotations(pod, { ...annotationsOf(pod), [warningAnnotation]: warning });
  return annotationBytes(told) > annotationsLimit ? pod : told;
}

const classOf = (pod: KubeObject): string => partitioningQosClass(containersOf(pod));
