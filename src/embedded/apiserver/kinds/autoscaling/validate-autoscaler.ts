import type { HorizontalPodAutoscalerSpec, HPAScalingRules } from "kubernetes-types/autoscaling/v2.js";
import {
  type FieldError,
  forbidden,
  invalid,
  notSupported,
  required,
} from "../../../../language/schema/field-error.ts";
import { notNegative } from "../resource-list.ts";
import { validateMetric, validateReference } from "./validate-metric.ts";

const longestPeriod = 1800;
const longestWindow = 3600;
const selections = ["Disabled", "Max", "Min"];
const policyTypes = ["Percent", "Pods"];

export function validateAutoscaler(spec: HorizontalPodAutoscalerSpec): FieldError[] {
  const { minReplicas, maxReplicas, scaleTargetRef, metrics = [], behavior } = spec;
  const errors: FieldError[] = [];
  if (minReplicas !== undefined && minReplicas < 1)
    errors.push(invalid("spec.minReplicas", minReplicas, "must be greater than or equal to 1"));
  if (maxReplicas < 1) errors.push(invalid("spec.maxReplicas", maxReplicas, "must be greater than 0"));
  if (minReplicas !== undefined && maxReplicas < minReplicas)
    errors.push(invalid("spec.maxReplicas", maxReplicas, "must be greater than or equal to `minReplicas`"));
  errors.push(...validateReference(scaleTargetRef, "spec.scaleTargetRef"));
  const { kind, apiVersion = "" } = scaleTargetRef;
  // The only kind of the core group that can be scaled.
  if (!apiVersion.includes("/") && kind !== "ReplicationController")
    errors.push(invalid("spec.scaleTargetRef.apiVersion", apiVersion, "apiVersion must specify API group"));
  for (const [index, metric] of metrics.entries()) errors.push(...validateMetric(metric, `spec.metrics[${index}]`));
  // A target with zero replicas has no pods to measure: only Object and External metrics can scale it up.
  if (minReplicas === 0 && !metrics.some(({ type }) => type === "Object" || type === "External"))
    errors.push(
      forbidden(
        "spec.metrics",
        "must specify at least one Object or External metric to support scaling to zero replicas",
      ),
    );
  for (const side of ["scaleUp", "scaleDown"] as const)
    errors.push(...validateRules(behavior?.[side], `spec.behavior.${side}`));
  return errors;
}

/** `kubernetes-types` does not have `tolerance` yet. */
function validateRules(rules: (HPAScalingRules & { tolerance?: string }) | undefined, at: string): FieldError[] {
  if (!rules) return [];
  const { stabilizationWindowSeconds: window = 0, selectPolicy, policies = [], tolerance } = rules;
  const errors: FieldError[] = [];
  if (window < 0)
    errors.push(invalid(`${at}.stabilizationWindowSeconds`, window, "must be greater than or equal to zero"));
  if (window > longestWindow)
    errors.push(invalid(`${at}.stabilizationWindowSeconds`, window, `must be less than or equal to ${longestWindow}`));
  if (selectPolicy !== undefined && !selections.includes(selectPolicy))
    errors.push(notSupported(`${at}.selectPolicy`, selectPolicy, selections));
  if (policies.length === 0) errors.push(required(`${at}.policies`, "must specify at least one Policy"));
  for (const [index, { type, value, periodSeconds }] of policies.entries()) {
    const policy = `${at}.policies[${index}]`;
    if (!policyTypes.includes(type)) errors.push(notSupported(`${policy}.type`, type, policyTypes));
    if (value <= 0) errors.push(invalid(`${policy}.value`, value, "must be greater than zero"));
    if (periodSeconds <= 0) errors.push(invalid(`${policy}.periodSeconds`, periodSeconds, "must be greater than zero"));
    if (periodSeconds > longestPeriod)
      errors.push(invalid(`${policy}.periodSeconds`, periodSeconds, `must be less than or equal to ${longestPeriod}`));
  }
  if (tolerance !== undefined) errors.push(...notNegative(tolerance, `${at}.tolerance`));
  return errors;
}
