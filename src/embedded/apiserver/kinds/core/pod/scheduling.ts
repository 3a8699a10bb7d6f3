import type {
  Affinity,
  NodeSelector,
  NodeSelectorTerm,
  PodAffinityTerm,
  PodSpec,
  TopologySpreadConstraint,
} from "kubernetes-types/core/v1.js";
import { qualifiedName } from "../../../../../language/object/names.ts";
import {
  type FieldError,
  forbidden,
  invalid,
  notSupported,
  required,
} from "../../../../../language/schema/field-error.ts";
import { validateSelector } from "../../label-checks.ts";

type NodeRequirement = NonNullable<NodeSelectorTerm["matchExpressions"]>[number];

export function validateAffinity(affinity: Affinity | undefined, at: string): FieldError[] {
  if (!affinity) return [];
  const { nodeAffinity, podAffinity, podAntiAffinity } = affinity;
  const errors: FieldError[] = [];
  if (nodeAffinity) {
    const needed = nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution;
    if (needed)
      errors.push(...validateNodeSelector(needed, `${at}.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution`));
    for (const [index, { weight, preference }] of (
      nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution ?? []
    ).entries()) {
      const preferred = `${at}.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[${index}]`;
      errors.push(...validateWeight(weight, `${preferred}.weight`));
      errors.push(...validateNodeTerm(preference, `${preferred}.preference`));
    }
  }
  for (const [name, pods] of Object.entries({ podAffinity, podAntiAffinity })) {
    if (!pods) continue;
    for (const [index, term] of (pods.requiredDuringSchedulingIgnoredDuringExecution ?? []).entries())
      errors.push(...validatePodTerm(term, `${at}.${name}.requiredDuringSchedulingIgnoredDuringExecution[${index}]`));
    for (const [index, { weight, podAffinityTerm }] of (
      pods.preferredDuringSchedulingIgnoredDuringExecution ?? []
    ).entries()) {
      const preferred = `${at}.${name}.preferredDuringSchedulingIgnoredDuringExecution[${index}]`;
      errors.push(...validateWeight(weight, `${preferred}.weight`));
      errors.push(...validatePodTerm(podAffinityTerm, `${preferred}.podAffinityTerm`));
    }
  }
  return errors;
}

export function validateNodeSelector(selector: NodeSelector, at: string): FieldError[] {
  const nodeSelectorTerms = selector.nodeSelectorTerms ?? [];
  const field = `${at}.nodeSelectorTerms`;
  if (nodeSelectorTerms.length === 0) return [required(field, "must have at least one node selector term")];
  return nodeSelectorTerms.flatMap((term, index) => validateNodeTerm(term, `${field}[${index}]`));
}

function validateWeight(weight: number, field: string): FieldError[] {
  return weight >= 1 && weight <= 100 ? [] : [invalid(field, weight, "must be in the range 1-100")];
}

function validateNodeTerm({ matchExpressions = [], matchFields = [] }: NodeSelectorTerm, at: string): FieldError[] {
  return [
    ...matchExpressions.flatMap((requirement, index) => [
      ...validateNodeRequirement(requirement, `${at}.matchExpressions[${index}]`),
      ...qualifiedName(requirement.key).map((reason) =>
        invalid(`${at}.matchExpressions[${index}].key`, requirement.key, reason),
      ),
    ]),
    ...matchFields.flatMap(({ key }, index) =>
      key === "metadata.name"
        ? []
        : [invalid(`${at}.matchFields[${index}].key`, key, "not a valid field selector key")],
    ),
  ];
}

function validateNodeRequirement({ operator, values = [] }: NodeRequirement, at: string): FieldError[] {
  switch (operator) {
    case "In":
    case "NotIn":
      return values.length > 0
        ? []
        : [required(`${at}.values`, "must be specified when `operator` is 'In' or 'NotIn'")];
    case "Exists":
    case "DoesNotExist":
      return values.length === 0
        ? []
        : [forbidden(`${at}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")];
    case "Gt":
    case "Lt":
      return values.length === 1
        ? []
        : [required(`${at}.values`, "must be specified single value when `operator` is 'Lt' or 'Gt'")];
    default:
      return [invalid(`${at}.operator`, operator, "not a valid selector operator")];
  }
}

function validatePodTerm({ labelSelector, topologyKey }: PodAffinityTerm, at: string): FieldError[] {
  return [
    ...validateSelector(labelSelector, `${at}.labelSelector`),
    ...(topologyKey ? [] : [required(`${at}.topologyKey`, "can not be empty")]),
    ...qualifiedName(topologyKey).map((reason) => invalid(`${at}.topologyKey`, topologyKey, reason)),
  ];
}

const spreadActions = ["DoNotSchedule", "ScheduleAnyway"];

export function validateTopologySpread(
  constraints: readonly TopologySpreadConstraint[] | undefined,
  at: string,
): FieldError[] {
  return (constraints ?? []).flatMap(({ maxSkew, topologyKey, whenUnsatisfiable, labelSelector }, index) => {
    const field = `${at}[${index}]`;
    return [
      ...(maxSkew > 0 ? [] : [invalid(`${field}.maxSkew`, maxSkew, "must be greater than zero")]),
      ...(topologyKey ? [] : [required(`${field}.topologyKey`, "can not be empty")]),
      ...(spreadActions.includes(whenUnsatisfiable)
        ? []
        : [notSupported(`${field}.whenUnsatisfiable`, whenUnsatisfiable, spreadActions)]),
      ...validateSelector(labelSelector, `${field}.labelSelector`),
    ];
  });
}

export function validateSchedulingGates(gates: PodSpec["schedulingGates"], at: string): FieldError[] {
  return (gates ?? []).flatMap(({ name }, index) =>
    qualifiedName(name).map((reason) => invalid(`${at}[${index}]`, name, reason)),
  );
}
