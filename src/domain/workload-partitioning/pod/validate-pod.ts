import type { KubeObject } from "../../../language/object/meta.ts";
import { type Admission, passed, type Problem, refused, type Review } from "../admission.ts";
import { coresOf, coresSuffix, debugAnnotation, resourcesPrefix } from "../names.ts";
import { allows, type KnownNamespace, namespaceProblem } from "./namespace.ts";
import { amount, annotationsOf, containersOf } from "./pod.ts";
import { cpuProblem } from "./resource-annotation.ts";
import { isStaticPod } from "./static-pod.ts";
import { targetOf } from "./target.ts";
import { annotationProblem, debugWarning, forbidden, notAllowed, resizeProblem, resourceProblem } from "./texts.ts";

/** The validating phase, after all mutation: what other mutators or the user wrote must not bypass the mutating phase. */
export function validatePod(review: Review): Admission {
  const { object, operation, subresource } = review;
  if (operation === "UPDATE" && subresource === "resize") return validateResize(review);
  if (operation !== "CREATE" || subresource !== "") return passed(object, "not-reviewed");
  if (object.kind !== "Pod")
    return refused(object, [forbidden("unexpected-object", `expected a Pod, got ${object.kind}`)]);
  if (isStaticPod(review)) return passed(object, "static-pod");
  const { namespace } = review.view;
  if (namespace.type !== "found") return refused(object, [namespaceProblem(namespace)]);
  const [first, ...others] = problemsOf(review, namespace);
  if (!first) return passed(object, "valid");
  const lostTarget = targetOf(annotationsOf(object)).type !== "workload";
  const warnings = lostTarget && Object.hasOwn(annotationsOf(object), debugAnnotation) ? [debugWarning] : [];
  return refused(object, [first, ...others], warnings);
}

function problemsOf({ object, release }: Review, namespace: KnownNamespace): Problem[] {
  const annotations = annotationsOf(object);
  const target = targetOf(annotations);
  const told = Object.entries(annotations).filter(([key]) => key.startsWith(resourcesPrefix));
  const problems = target.type === "invalid" ? [target.problem] : [];
  for (const [key, value] of told) {
    const code = cpuProblem(value, target.type === "workload", release.resourcesSchema);
    if (code) problems.push(annotationProblem(code, { [key]: value }));
  }
  if (target.type !== "workload") {
    if (told.length > 0) problems.push(annotationProblem("resource-annotation-without-target", told[0]?.[0]));
    return [...problems, ...workloadResources(object).map(resourceProblem)];
  }
  const allowed = allows(namespace, target.workload, release);
  if (allowed === "listed" || (allowed === "no-list" && release.namespaceWithoutList === "warned")) return problems;
  const text = notAllowed(namespace.name, target.workload);
  return [...problems, annotationProblem("namespace-type-not-allowed", target.workload, text)];
}

/** Names of workload resources that containers request, each once. */
function workloadResources(pod: KubeObject): string[] {
  const names = containersOf(pod).flatMap(({ resources }) => Object.keys(resources?.requests ?? {}));
  return [...new Set(names.filter((name) => name.endsWith(coresSuffix)))];
}

/**
 * The kubelet would apply CPU that a resize adds over the shares that CRI-O was told, and the scheduler would count it as CPU of
 * other workloads. All containers of a rewritten pod are on reserved CPUs, also one without cores.
 */
function validateResize({ object, release }: Review): Admission {
  const target = targetOf(annotationsOf(object));
  if (release.resizeAddsCpu === "ignored" || target.type !== "workload") return passed(object, "not-reviewed");
  const cores = coresOf(target.workload);
  const containers = containersOf(object);
  const isRewritten = containers.some(({ resources }) => amount(resources?.requests, cores) !== undefined);
  const [first, ...others] = containers.flatMap(({ name, resources }) => {
    const cpu = amount(resources?.requests, "cpu") ?? amount(resources?.limits, "cpu");
    return isRewritten && cpu !== undefined ? [resizeProblem(`spec.containers[${name}].resources`, cpu)] : [];
  });
  return first ? refused(object, [first, ...others]) : passed(object, "valid");
}
