import { type Condition, findCondition } from "../../../language/object/condition.ts";
import type { ObjectReference, PlannedEvent } from "../../../language/object/plan.ts";

/** An event for each condition whose status or reason has changed. */
export function transitions(
  regarding: ObjectReference,
  before: readonly Condition[] | undefined,
  after: readonly Condition[] | undefined,
): PlannedEvent[] {
  return (after ?? []).flatMap(({ type, status, reason, message }): PlannedEvent[] => {
    const old = findCondition(before, type);
    // A first condition is no news unless something is wrong.
    if (!old && !isBad(type, status, reason)) return [];
    if (old?.status === status && old.reason === reason) return [];
    return [
      {
        regarding,
        type: isBad(type, status, reason) ? "Warning" : "Normal",
        reason: reason === "AsExpected" ? `${type}${status}` : reason,
        message: message || `${type} is ${status}.`,
      },
    ];
  });
}

function isBad(type: string, status: string, reason: string): boolean {
  if (type === "Degraded") return status === "True";
  // Nodes report one after the other; every other reason needs a user to act.
  if (type === "BootArguments") return status === "False" && reason !== "WaitingForNodes";
  return (type === "Valid" || type === "Available") && status === "False";
}
