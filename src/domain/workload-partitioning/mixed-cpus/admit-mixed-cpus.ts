import { isGuaranteed } from "../../../language/cpu/qos-class.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { compareQuantities, isQuantity, parseQuantity } from "../../../language/object/quantity.ts";
import { type Admission, passed, type ProblemCode, refused, type Review } from "../admission.ts";
import { mixedCpus } from "../names.ts";
import { namespaceProblem } from "../pod/namespace.ts";
import { amount, annotationsOf, appContainersOf, withAnnotations, withoutAnnotations } from "../pod/pod.ts";
import { sharedCpusWarning } from "../pod/texts.ts";

const one = parseQuantity("1");

/** Guaranteed containers may use shared CPUs beside their own: CRI-O reads from an annotation which ones do. */
export function admitMixedCpus({ object, operation, subresource, view, release }: Review): Admission {
  const { resource, allowedAnnotation, runtimePrefix } = mixedCpus;
  if (operation !== "CREATE" || subresource !== "") return passed(object, "not-reviewed");
  const refuse = (code: ProblemCode, message: string): Admission => refused(object, [{ code, status: 403, message }]);
  if (object.kind !== "Pod") return refuse("unexpected-object", `expected a Pod, got ${object.kind}`);
  const containers = appContainersOf(object);
  const asking = containers.filter(({ resources }) => amount(resources?.requests, resource) !== undefined);
  const given = release.sharedCpus === "requested" ? withoutSharedCpus(object) : object;
  if (asking.length === 0) return given === object ? passed(object, "no-shared-cpus") : ignored(given);
  const { namespace } = view;
  if (namespace.type !== "found") return refused(object, [namespaceProblem(namespace)]);
  if (!Object.hasOwn(namespace.annotations, allowedAnnotation))
    return refuse(
      "mixed-namespace-not-allowed",
      `namespace ${namespace.name} is not annotated with ${allowedAnnotation}`,
    );
  if (!isGuaranteed(containers))
    return refuse("mixed-not-guaranteed", `containers with ${resource} must be in a pod with QoS class Guaranteed`);
  const greedy = asking.find(({ resources }) => !isAtMostOne(amount(resources?.requests, resource) ?? ""));
  if (greedy) return refuse("mixed-more-than-one", `container ${greedy.name} may ask for at most one ${resource}`);
  const enabled = asking.map(({ name }) => [`${runtimePrefix}${name}`, "enable"] as const);
  const pod = withAnnotations(given, { ...annotationsOf(given), ...Object.fromEntries(enabled) });
  return { type: "changed", object: pod, rule: "shared-cpus", outcome: "rewritten", warnings: [], problems: [] };
}

/** CRI-O reads the annotation: with one of its own a pod would need neither consent of its namespace nor CPUs of its own. */
function withoutSharedCpus(pod: KubeObject): KubeObject {
  return withoutAnnotations(pod, (key) => key.startsWith(mixedCpus.runtimePrefix));
}

function ignored(object: KubeObject): Admission {
  const warnings = [sharedCpusWarning];
  return { type: "changed", object, rule: "no-shared-cpus", outcome: "stripped", warnings, problems: [] };
}

function isAtMostOne(text: string): boolean {
  return isQuantity(text) && compareQuantities(parseQuantity(text), one) <= 0;
}
