import { type Condition, findCondition } from "../../../language/object/condition.ts";
import type { Profile } from "../api.ts";
import { possibleMistake } from "./tuned-status.ts";
import type { ObjectReference, PlannedEvent } from "../../../language/object/plan.ts";

/** An event for each condition whose status or reason has changed. */
export function transitions(
  regarding: ObjectReference,
  before: readonly Condition[] | undefined,
  after: readonly Condition[] | undefined,
): PlannedEvent[] {
  return (after ?? []).flatMap(({ type, status, reason, message }): PlannedEvent[] => {
    const old = findCondition(before, type);
    // A first condition is no news unless something is wrong. No operator is available before its agents run.
    if (!old && (type === "Available" || !isBad(type, status, reason))) return [];
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

/** What an agent found changed by another process and set back, or could not. The same drift, seen again, is no news. */
export function driftEvents(before: Profile, after: Profile): PlannedEvent[] {
  const old = findCondition(before.status?.conditions, "Drifted");
  const drifted = findCondition(after.status?.conditions, "Drifted");
  if (drifted?.status !== "True" || (old?.status === "True" && old.message === drifted.message)) return [];
  const { apiVersion, kind, metadata } = after;
  const { name, namespace, uid } = metadata;
  const regarding = { apiVersion, kind, metadata: { name, namespace, uid } };
  return [{ regarding, type: "Warning", reason: `Drift${drifted.reason}`, message: drifted.message }];
}

function isBad(type: string, status: string, reason: string): boolean {
  // Available stays True while some Profiles are degraded.
  if (reason === "ProfileDegraded" || reason === possibleMistake) return true;
  // Nodes report one after the other.
  if (reason === "ProfileProgressing" || reason === "WaitingForNodes") return false;
  if (type === "Degraded") return status === "True";
  return (type === "BootArguments" || type === "Valid" || type === "Available") && status === "False";
}
