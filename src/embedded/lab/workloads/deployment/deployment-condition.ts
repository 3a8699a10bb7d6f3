import type { DeploymentCondition } from "kubernetes-types/apps/v1.js";
import { omitUndefined } from "../../../../language/object/json.ts";
import { findCondition } from "../../../../language/object/condition.ts";
import { formatTime } from "../../../../language/object/time.ts";

export type Finding = Pick<DeploymentCondition, "type" | "status" | "reason" | "message">;

/**
 * The conditions with this one at the end. One that is told already, with the same status and reason, stays as it is:
 * `lastUpdateTime` is when something happened, and the deadline of progress counts from it.
 */
export function withCondition(
  conditions: readonly DeploymentCondition[],
  finding: Finding,
  now: number,
): readonly DeploymentCondition[] {
  const told = findCondition(conditions, finding.type);
  if (told?.status === finding.status && told.reason === finding.reason) return conditions;
  return [...without(conditions, finding.type), stamped(finding, told, now)];
}

/** Said anew even if status and reason are the same: something happened. */
export function withProgress(
  conditions: readonly DeploymentCondition[],
  finding: Finding,
  now: number,
): readonly DeploymentCondition[] {
  const told = findCondition(conditions, finding.type);
  return [...without(conditions, finding.type), stamped(finding, told, now)];
}

export function without(conditions: readonly DeploymentCondition[], type: string): readonly DeploymentCondition[] {
  const rest = conditions.filter((condition) => condition.type !== type);
  return rest.length === conditions.length ? conditions : rest;
}

function stamped(finding: Finding, told: DeploymentCondition | undefined, now: number): DeploymentCondition {
  const lastUpdateTime = formatTime(now);
  const lastTransitionTime = told?.status === finding.status ? told.lastTransitionTime : lastUpdateTime;
  return omitUndefined({ ...finding, lastUpdateTime, lastTransitionTime });
}
