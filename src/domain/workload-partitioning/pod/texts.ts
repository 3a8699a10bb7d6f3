import { invalid } from "../../../language/schema/field-error.ts";
import type { Problem, ProblemCode, WarningCode } from "../admission.ts";
import { allowedAnnotation, debugAnnotation, mixedCpus, preferred } from "../names.ts";

/** As recorded, with a capital. */
const annotationsField = "metadata.Annotations";

const annotationTexts: Partial<Record<ProblemCode, string>> = {
  "target-multiple": "a pod may have only one target.workload.openshift.io annotation",
  "target-type-empty": "the key must end with a workload type, as in target.workload.openshift.io/management",
  "target-type-unusable": "no resource can be named after this workload type: use lower case letters, digits and '-'",
  "effect-unparsable": `the value must be a JSON object of texts: {"effect":"${preferred}"}`,
  "effect-multiple-keys": "the value may have only the key effect",
  "effect-missing": "the value has no key effect",
  "effect-unsupported": `the only effect is ${preferred}`,
  "resource-annotation-undecodable": "the value must be a JSON object with the integers cpushares and cpulimit alone",
  "resource-annotation-extra-keys": "the value may have only the key cpushares",
  "resource-annotation-not-cpushares": "the value has no key cpushares",
  "resource-annotation-without-target":
    "resources.workload.openshift.io annotations are set by admission: a pod must have a target annotation instead",
};

export function annotationProblem(code: ProblemCode, value: unknown, text = annotationTexts[code] ?? code): Problem {
  return { code, status: 422, ...invalid(annotationsField, value, text) };
}

export function resourceProblem(name: string): Problem {
  const text =
    "workload resources are set by admission: a pod must have a target.workload.openshift.io annotation instead";
  return {
    code: "workload-resource-without-target",
    status: 422,
    ...invalid("spec.containers.resources.requests", name, text),
  };
}

export function resizeProblem(field: string, value: string): Problem {
  const text =
    "CPU of a pod on reserved CPUs is part of its workload resource: create the pod anew with the CPU it needs";
  return { code: "resize-adds-cpu", status: 422, ...invalid(field, value, text) };
}

export function forbidden(code: ProblemCode, message: string): Problem {
  return { code, status: 403, message };
}

export const notAllowed = (namespace: string, workload: string): string =>
  `namespace ${namespace} does not allow workload type ${workload}: its annotation ${allowedAnnotation} does not list it`;

export const debugWarning = `this pod is a copy made for debugging (${debugAnnotation}) and has lost its target annotation: keep annotations when you copy a pod of the platform, or update the client`;

export const keptWarning =
  "partitioning instructions are given when a pod is created: this change of them is ignored; create the pod anew";

export const sharedCpusWarning = `the annotation ${mixedCpus.runtimePrefix}* is ignored: a container uses shared CPUs if it requests ${mixedCpus.resource}`;

const ignored = "partitioning instructions are ignored";

/** Texts of the warning annotation. */
export const warningTexts = {
  "partitioning-off": (why: string) => `${ignored}: CPU partitioning is off: ${why}`,
  "ns-not-annotated": () => `${ignored}: the namespace is not annotated with ${allowedAnnotation}`,
  "qos-guaranteed": () => `${ignored}: the pod has QoS class Guaranteed`,
  "qos-would-change": (classes: string) => `${ignored}: the pod's QoS class would change from ${classes}`,
  "cpu-limit-and-request": (container: string) =>
    `${ignored}: container ${container} has both a request and a limit for CPU`,
  "pod-level-cpu": () => `${ignored}: spec.resources has CPU, which no workload resource can replace`,
  "node-without-cores": (node: string) => `${ignored}: node ${node} is not partitioned: it reports no cores`,
  "cpu-out-of-range": (container: string) => `${ignored}: resources of container ${container} are no possible amounts`,
  "annotations-too-large": () => `${ignored}: the annotations of the pod would exceed 256 KiB`,
} as const satisfies Record<WarningCode, (detail: string) => string>;
