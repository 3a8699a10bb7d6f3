import type { PodSpec } from "kubernetes-types/core/v1.js";
import { at, isObject } from "../../../../language/object/json.ts";
import type { KubeObject } from "../../../../language/object/meta.ts";
import { invalid, type FieldError } from "../../../../language/schema/field-error.ts";
import type { Lookup } from "../../resource.ts";
import { invalidObject } from "../../status-error.ts";
import { type AdmissionPlugin, type Attributes, refused } from "../admission.ts";
import { baselineChecks } from "./baseline-checks.ts";
import type { Check, SecuredPod } from "./pod-shape.ts";
import { replacedChecks, restrictedChecks } from "./restricted-checks.ts";

const prefix = "pod-security.kubernetes.io/";
const levels = ["privileged", "baseline", "restricted"];

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
      if (resource.kind === "Namespace") return checkLabels(attributes, object);
      const labels = objects.head("namespaces", namespace)?.metadata.labels ?? {};
      const spec = at(object, ...(templates.get(resource.kind) ?? []));
      if (isObject(spec)) checkPod(attributes, labels, { spec: spec as unknown as PodSpec });
    },
  };
}

/** Where a kind has the spec of its pods. */
const templates: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ["Pod", ["spec"]],
  ...["Deployment", "DaemonSet", "StatefulSet", "ReplicaSet", "ReplicationController", "Job"].map(
    (kind): [string, readonly string[]] => [kind, ["spec", "template", "spec"]],
  ),
  ["PodTemplate", ["template", "spec"]],
  ["CronJob", ["spec", "jobTemplate", "spec", "template", "spec"]],
]);

function checkPod(attributes: Attributes, labels: Readonly<Record<string, string>>, pod: SecuredPod): void {
  const isPod = attributes.resource.kind === "Pod";
  // What these checks read cannot change in a pod: it was checked when it was created.
  if (isPod && attributes.operation === "UPDATE") return;
  const enforced = violations(pod, labels, "enforce");
  if (isPod && enforced) throw refused(attributes, `violates PodSecurity ${enforced}`);
  const discouraged = violations(pod, labels, "warn");
  if (discouraged) attributes.warnings.push(`would violate PodSecurity ${discouraged}`);
}

/** `"baseline:latest": privileged (container "a" must not set securityContext.privileged=true)`. */
function violations(pod: SecuredPod, labels: Readonly<Record<string, string>>, mode: string): string | undefined {
  const level = labels[`${prefix}${mode}`] ?? "privileged";
  if (level === "privileged") return undefined;
  const found = checksOf(level).flatMap((check) => check(pod) ?? []);
  if (found.length === 0) return undefined;
  const shown = found.map(({ reason, detail }) => `${reason} (${detail})`).join(", ");
  return `${JSON.stringify(`${level}:${labels[`${prefix}${mode}-version`] ?? "latest"}`)}: ${shown}`;
}

/** A level that does not exist is the strictest, as in kube-apiserver. */
function checksOf(level: string): Check[] {
  if (level === "baseline") return Object.values(baselineChecks);
  const kept = Object.entries(baselineChecks).filter(([name]) => !replacedChecks.has(name));
  return [...kept.map(([, check]) => check), ...Object.values(restrictedChecks)];
}

/** Only labels that a write sets or changes: old ones do not block other changes. */
function checkLabels({ resource, name, old }: Attributes, { metadata }: KubeObject): void {
  const errors = Object.entries(metadata.labels ?? {}).flatMap(([key, value]): FieldError[] => {
    if (!key.startsWith(prefix) || old?.metadata.labels?.[key] === value) return [];
    const field = `metadata.labels[${key}]`;
    if (["enforce", "audit", "warn"].includes(key.slice(prefix.length)))
      return levels.includes(value) ? [] : [invalid(field, value, `must be one of ${levels.join(", ")}`)];
    if (!key.endsWith("-version") || /^(?:latest|v1\.(?:0|[1-9][0-9]*))$/.test(value)) return [];
    return [invalid(field, value, 'must be "latest" or "v1.x"')];
  });
  if (errors.length > 0) throw invalidObject(resource.group, resource.kind, metadata.name ?? name, errors);
}
