import type { DeploymentCondition } from "kubernetes-types/apps/v1.js";
import { omitUndefined } from "../../../../language/object/json.ts";
import { findCondition } from "../../../../language/object/condition.ts";
import { formatTime } from "../../../../language/object/time.ts";

export type UntimedCondition = Pick<DeploymentCondition, "type" | "status" | "reason" | "message">;

/**
 * The conditions with this one at the end. An existing one with the same status and reason stays as it is: the progress
 * deadline counts from its `lastUpdateTime`.
 */
export function withCondition(
  conditions: readonly DeploymentCondition[],
  condition: UntimedCondition,
  now: number,
): readonly DeploymentCondition[] {
  const existing = findCondition(conditions, condition.type);
  if (existing?.status === condition.status && existing.reason === condition.reason) return conditions;
  return [...without(conditions, condition.type), stamped(condition, existing, now)];
}

/** The same with a new `lastUpdateTime` in any case: the rollout progressed. */
export function withProgress(
  conditions: readonly DeploymentCondition[],
  condition: UntimedCondition,
  now: number,
): readonly DeploymentCondition[] {
  const existing = findCondition(conditions, condition.type);
  return [...without(conditions, condition.type), stamped(condition, existing, now)];
}

export function without(conditions: readonly DeploymentCondition[], type: string): readonly DeploymentCondition[] {
  const rest = conditions.filter((one) => one.type !== type);
  return rest.length === conditions.length ? conditions : rest;
}

function stamped(
  condition: UntimedCondition,
  existing: DeploymentCondition | undefined,
  now: number,
): DeploymentCondition {
  const lastUpdateTime = formatTime(now);
  const lastTransitionTime = existing?.status === condition.status ? existing.lastTransitionTime : lastUpdateTime;
  return omitUndefined({ ...condition, lastUpdateTime, lastTransitionTime });
}
