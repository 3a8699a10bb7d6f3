import { at, equal, isObject } from "../../../../language/object/json.ts";
import type { KubeObject } from "../../../../language/object/meta.ts";
import { invalid, type FieldError } from "../../../../language/schema/field-error.ts";
import type { Lookup } from "../../resource.ts";
import { invalidObject } from "../../status-error.ts";
import { type AdmissionPlugin, type Attributes, refused } from "../admission.ts";
import { baselineChecks } from "./baseline-checks.ts";
import { type Check, containersOf, plural, type SecuredPod, type Violation } from "./pod-shape.ts";
import { enforcedPolicy, isStricter, levels, nameOf, type Level, type Policy, prefix, warnedPolicy } from "./policy.ts";
import { replacedChecks, restrictedChecks } from "./restricted-checks.ts";

/** Refuses pods that the labels of their namespace forbid, and warns of pods and templates that they discourage. */
export function podSecurity(objects: Lookup): AdmissionPlugin {
  return {
    name: "PodSecurity",
    handles: ({ operation, subresource, resource }) =>
      subresource === "" &&
      (operation === "CREATE" || operation === "UPDATE") &&
      resource.origin === "builtin" &&
      (templates.has(resource.kind) || (resource.kind === "Namespace" && resource.group === "")),
    validate: (attributes) => {
      const { resource, object, namespace } = attributes;
      if (!object) return;
      if (resource.kind === "Namespace") return checkNamespace(attributes, object, objects);
      const labels = objects.head("namespaces", namespace)?.metadata.labels ?? {};
      const pod = at(object, ...(templates.get(resource.kind) ?? []));
      if (isPod(pod)) checkPod(attributes, labels, pod);
    },
  };
}

function isPod(value: unknown): value is SecuredPod {
  return isObject(value) && isObject(value.spec);
}

/** Where a kind has its pods. */
const templates: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ["Pod", []],
  ...["Deployment", "DaemonSet", "StatefulSet", "ReplicaSet", "ReplicationController", "Job"].map(
    (kind): [string, readonly string[]] => [kind, ["spec", "template"]],
  ),
  ["PodTemplate", ["template"]],
  ["CronJob", ["spec", "jobTemplate", "spec", "template"]],
]);

function checkPod(attributes: Attributes, labels: Readonly<Record<string, string>>, pod: SecuredPod): void {
  const { resource, operation, old } = attributes;
  if (resource.kind === "Pod") {
    // Of what can change in a pod, only another image makes it another pod.
    if (operation === "UPDATE" && isPod(old) && equal(imagesOf(pod), imagesOf(old))) return;
    const enforced = violations(pod, enforcedPolicy(labels));
    if (enforced.length > 0)
      throw refused(attributes, `violates PodSecurity ${shown(enforcedPolicy(labels), enforced)}`);
  }
  const discouraged = violations(pod, warnedPolicy(labels));
  if (discouraged.length > 0)
    attributes.warnings.push(`would violate PodSecurity ${shown(warnedPolicy(labels), discouraged)}`);
}

const imagesOf = (pod: SecuredPod): string[] => containersOf(pod).map(({ image = "" }) => image);

function violations(pod: SecuredPod, { level }: Policy): Violation[] {
  return checksOf(level).flatMap((check) => check(pod) ?? []);
}

/** `"baseline:latest": privileged (container "a" must not set securityContext.privileged=true)`. */
function shown(policy: Policy, found: readonly Violation[]): string {
  return `"${nameOf(policy)}": ${found.map(({ reason, detail }) => `${reason} (${detail})`).join(", ")}`;
}

function checksOf(level: Level): Check[] {
  if (level === "privileged") return [];
  if (level === "baseline") return Object.values(baselineChecks);
  const kept = Object.entries(baselineChecks).filter(([name]) => !replacedChecks.has(name));
  return [...kept.map(([, check]) => check), ...Object.values(restrictedChecks)];
}

function checkNamespace(attributes: Attributes, namespace: KubeObject, objects: Lookup): void {
  checkLabels(attributes, namespace);
  if (attributes.operation !== "UPDATE") return;
  const policy = enforcedPolicy(namespace.metadata.labels ?? {});
  const before = enforcedPolicy(attributes.old?.metadata.labels ?? {});
  if (isStricter(policy, before)) attributes.warnings.push(...warningsOfPods(policy, attributes.name, objects));
}

/** As kube-apiserver: no more pods of a namespace are checked. */
const maxPods = 3000;

/** Pods that run already are not refused, but a user should know of them. */
function warningsOfPods(policy: Policy, namespace: string, objects: Lookup): string[] {
  const pods = objects.list("pods").filter(({ metadata }) => metadata.namespace === namespace);
  const names = new Map<string, string[]>();
  for (const pod of pods.slice(0, maxPods)) {
    const found = isPod(pod) ? violations(pod, policy) : [];
    if (found.length === 0) continue;
    const reasons = found.map(({ reason }) => reason).join(", ");
    names.set(reasons, [...(names.get(reasons) ?? []), pod.metadata.name ?? ""]);
  }
  const ofPods = Array.from(names, ([reasons, [first = "", ...others]]) => {
    const more = others.length > 0 ? ` (and ${others.length} ${plural("other pod", others)})` : "";
    return `${first}${more}: ${reasons}`;
  });
  return [
    ...(pods.length > maxPods
      ? [`new PodSecurity enforce level only checked against the first ${maxPods} of ${pods.length} existing pods`]
      : []),
    ...(ofPods.length > 0
      ? [`existing pods in namespace "${namespace}" violate the new PodSecurity enforce level "${nameOf(policy)}"`]
      : []),
    ...ofPods.toSorted(),
  ];
}

/** Only labels that a write sets or changes: old ones do not block other changes. */
function checkLabels({ resource, name, old }: Attributes, { metadata }: KubeObject): void {
  const errors = Object.entries(metadata.labels ?? {}).flatMap(([key, value]): FieldError[] => {
    if (!key.startsWith(prefix) || old?.metadata.labels?.[key] === value) return [];
    const field = `metadata.labels[${key}]`;
    if (["enforce", "audit", "warn"].includes(key.slice(prefix.length)))
      return levels.includes(value as Level) ? [] : [invalid(field, value, `must be one of ${levels.join(", ")}`)];
    if (!key.endsWith("-version") || /^(?:latest|v1\.(?:0|[1-9][0-9]*))$/.test(value)) return [];
    return [invalid(field, value, 'must be "latest" or "v1.x"')];
  });
  if (errors.length > 0) throw invalidObject(resource.group, resource.kind, metadata.name ?? name, errors);
}
