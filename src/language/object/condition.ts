/** `meta/v1` Condition. */
export interface Condition {
  type: string;
  status: "True" | "False" | "Unknown";
  reason: string;
  message: string;
  lastTransitionTime?: string | undefined;
  observedGeneration?: number | undefined;
}

/**
 * The conditions with this one set. lastTransitionTime changes only with the status. Returns the same array if nothing
 * changed, so that the caller knows whether to write.
 */
export function setCondition(
  conditions: readonly Condition[],
  condition: Omit<Condition, "lastTransitionTime">,
  now: string,
): readonly Condition[] {
  const index = conditions.findIndex(({ type }) => type === condition.type);
  const old = conditions[index];
  if (!old) return [...conditions, { ...condition, lastTransitionTime: now }];
  if (
    old.status === condition.status &&
    old.reason === condition.reason &&
    old.message === condition.message &&
    old.observedGeneration === condition.observedGeneration
  )
    return conditions;
  const lastTransitionTime = old.status === condition.status ? (old.lastTransitionTime ?? now) : now;
  return conditions.with(index, { ...condition, lastTransitionTime });
}

export function findCondition<T extends { type: string }>(
  conditions: readonly T[] | null | undefined,
  type: string,
): T | undefined {
  return conditions?.find((condition) => condition.type === type);
}

export function isTrue(
  conditions: readonly { type: string; status: string }[] | null | undefined,
  type: string,
): boolean {
  return findCondition(conditions, type)?.status === "True";
}
