import type { ObjectReference, PlannedEvent } from "../../language/object/plan.ts";

/** Reason of the event about a write that admission refused. */
export const refusedReason = "AdmissionRefused";

/** A write that was refused, of an object that may not exist: a refused pod never does. */
export interface RefusedWrite {
  readonly regarding: ObjectReference;
  /** The rule that refused it. */
  readonly rule: string;
  /** As the client got it. */
  readonly message: string;
  /** Whether the event stands for all further ones of the namespace with the same rule. */
  readonly isOneOfMany?: boolean;
}

const ofMany = "one of many refused here for the same reason: ";

export function refusalEvent({ regarding, rule, message, isOneOfMany = false }: RefusedWrite): PlannedEvent {
  return {
    regarding,
    type: "Warning",
    reason: refusedReason,
    message: `${rule}: ${isOneOfMany ? ofMany : ""}${message}`,
  };
}

/** The event recorder puts other words before the message of an event that stands for similar ones. */
const combined = "(combined from similar events): ";

/** What the message of such an event says. Undefined if it is none that Attune wrote. */
export function readRefusal(eventMessage: string): Omit<RefusedWrite, "regarding"> | undefined {
  const text = eventMessage.startsWith(combined) ? eventMessage.slice(combined.length) : eventMessage;
  const [, rule, rest = ""] = /^([a-z][a-z0-9-]*): (.*)$/s.exec(text) ?? [];
  if (rule === undefined) return undefined;
  const isOneOfMany = rest.startsWith(ofMany);
  return { rule, message: isOneOfMany ? rest.slice(ofMany.length) : rest, isOneOfMany };
}
