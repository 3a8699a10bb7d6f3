import type { PersistentVolumeClaim, Pod, PodSpec, ResourceQuotaSpec } from "kubernetes-types/core/v1.js";
import type { KubeObject } from "../../../language/object/meta.ts";
import { qosClass } from "../../../language/cpu/qos-class.ts";

interface Scope {
  readonly scopeName: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

/** Whether a quota counts an object. Scopes select pods, or claims; a quota with scopes counts nothing else. */
export function isCounted(spec: ResourceQuotaSpec, collection: string, object: KubeObject): boolean {
  const scopes: Scope[] = [
    ...(spec.scopes ?? []).map((scopeName) => ({ scopeName, operator: "Exists" })),
    ...(spec.scopeSelector?.matchExpressions ?? []),
  ];
  return scopes.every((scope) =>
    collection === "pods"
      ? matchesPod(scope, (object as Pod).spec ?? { containers: [] })
      : collection === "persistentvolumeclaims" && matchesClaim(scope, object as PersistentVolumeClaim),
  );
}

function matchesPod(scope: Scope, spec: PodSpec): boolean {
  switch (scope.scopeName) {
    case "Terminating":
      return spec.activeDeadlineSeconds !== undefined;
    case "NotTerminating":
      return spec.activeDeadlineSeconds === undefined;
    case "BestEffort":
      return qosClass(spec) === "BestEffort";
    case "NotBestEffort":
      return qosClass(spec) !== "BestEffort";
    case "PriorityClass":
      return matchesValue(scope, spec.priorityClassName);
    case "CrossNamespacePodAffinity":
      return reachesOtherNamespaces(spec);
    default:
      return false;
  }
}

function matchesClaim(scope: Scope, { spec }: PersistentVolumeClaim): boolean {
  const { volumeAttributesClassName } = (spec ?? {}) as { volumeAttributesClassName?: string };
  return scope.scopeName === "VolumeAttributesClass" && matchesValue(scope, volumeAttributesClassName);
}

function matchesValue({ operator, values = [] }: Scope, value: string | undefined): boolean {
  switch (operator) {
    case "In":
      return value !== undefined && values.includes(value);
    case "NotIn":
      return value === undefined || !values.includes(value);
    case "DoesNotExist":
      return !value;
    default:
      return Boolean(value);
  }
}

function reachesOtherNamespaces({ affinity }: PodSpec): boolean {
  const terms = [affinity?.podAffinity, affinity?.podAntiAffinity].flatMap((rules) => [
    ...(rules?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
    ...(rules?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ podAffinityTerm }) => podAffinityTerm),
  ]);
  return terms.some((term) => (term.namespaces?.length ?? 0) > 0 || term.namespaceSelector !== undefined);
}
