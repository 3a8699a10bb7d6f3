import type { PodDisruptionBudget, PodDisruptionBudgetSpec } from "kubernetes-types/policy/v1.js";
import type { KubeObject } from "../../../language/object/meta.ts";
import { type FieldError, invalid, notSupported, required } from "../../../language/schema/field-error.ts";
import { atLeast, validateAtMost100Percent, validateIntOrPercent } from "./bounds.ts";
import { ageColumn, integerColumn, nameColumn, stringColumn, typed } from "./columns.ts";
import { defineKind } from "./define-kind.ts";
import { validateSelector } from "./label-checks.ts";

/** With fields that `kubernetes-types` does not have yet. */
type Spec = PodDisruptionBudgetSpec & { unhealthyPodEvictionPolicy?: string };

const policies = ["AlwaysAllow", "IfHealthyBudget"];

export const podDisruptionBudget = defineKind({
  group: "policy",
  version: "v1",
  kind: "PodDisruptionBudget",
  plural: "poddisruptionbudgets",
  shortNames: ["pdb"],
  namespaced: true,
  columns: [
    nameColumn,
    stringColumn(
      "Min Available",
      typed<PodDisruptionBudget>(({ spec }) => String(spec?.minAvailable ?? "N/A")),
    ),
    stringColumn(
      "Max Unavailable",
      typed<PodDisruptionBudget>(({ spec }) => String(spec?.maxUnavailable ?? "N/A")),
    ),
    integerColumn(
      "Allowed Disruptions",
      typed<PodDisruptionBudget>(({ status }) => status?.disruptionsAllowed ?? 0),
    ),
    ageColumn,
  ],
  strategy: {
    prepareForCreate: (object) => {
      object.status = { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 };
    },
    validate,
    hasGeneration: true,
    ignoredFields: ["status"],
  },
  subresources: { status: { type: "status", validateUpdate: validateStatus } },
});

function validate(object: KubeObject): FieldError[] {
  const spec = ((object as PodDisruptionBudget).spec ?? {}) as Spec;
  const { minAvailable, maxUnavailable, unhealthyPodEvictionPolicy: policy } = spec;
  const errors: FieldError[] = [];
  if (minAvailable !== undefined && maxUnavailable !== undefined)
    errors.push(
      invalid(
        "spec",
        {
          MinAvailable: minAvailable,
          Selector: spec.selector ?? null,
          MaxUnavailable: maxUnavailable,
          UnhealthyPodEvictionPolicy: policy ?? null,
        },
        "minAvailable and maxUnavailable cannot be both set",
      ),
    );
  for (const [field, value] of Object.entries({ minAvailable, maxUnavailable }))
    if (value !== undefined)
      errors.push(...validateIntOrPercent(value, `spec.${field}`), ...validateAtMost100Percent(value, `spec.${field}`));
  errors.push(...validateSelector(spec.selector, "spec.selector"));
  if (policy !== undefined && !policies.includes(policy))
    errors.push(notSupported("spec.unhealthyPodEvictionPolicy", policy, policies));
  return errors;
}

const states = ["False", "True", "Unknown"];

function validateStatus(object: KubeObject): FieldError[] {
  const { status } = object as PodDisruptionBudget;
  const counts = ["disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"] as const;
  const errors = counts.flatMap((field) => atLeast(status?.[field], 0, `status.${field}`));
  for (const [index, { type, status: state, lastTransitionTime, reason }] of (status?.conditions ?? []).entries()) {
    const at = `status.conditions[${index}]`;
    if (!type) errors.push(required(`${at}.type`));
    if (!states.includes(state)) errors.push(notSupported(`${at}.status`, state, states));
    if (!lastTransitionTime) errors.push(required(`${at}.lastTransitionTime`));
    if (!reason) errors.push(required(`${at}.reason`));
  }
  return errors;
}
