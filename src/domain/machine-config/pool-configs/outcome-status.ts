import { type Condition, findCondition } from "../../../language/object/condition.ts";
import type { PoolConfig } from "./generated-kind.ts";
import type { Outcome } from "./generate.ts";
import type { Conflict } from "./settings.ts";

type Verdict = Omit<Condition, "lastTransitionTime">;

/** Conditions that this writer owns. Of `Success` and `Failure` one is there, the last: other programs read it. */
const ownTypes = ["Conflicting", "Ignored", "Accepted", "Success", "Failure"];

/** The status of an object: whether it was accepted, and which of its fields do not reach the nodes. */
export function outcomeStatus(object: PoolConfig, outcome: Outcome, now: string): NonNullable<PoolConfig["status"]> {
  const before = object.status?.conditions ?? [];
  const dated = (verdict: Verdict): Condition => {
    const old = findCondition(before, verdict.type);
    const since = old?.status === verdict.status ? old.lastTransitionTime : undefined;
    return { ...verdict, lastTransitionTime: since ?? now };
  };
  return {
    ...object.status,
    observedGeneration: object.metadata.generation ?? 0,
    conditions: [
      ...before.filter(({ type }) => !ownTypes.includes(type)),
      ...verdicts(object.metadata.name ?? "", outcome).map(dated),
    ],
  };
}

function verdicts(name: string, { problems, kept, conflicts, ignored }: Outcome): readonly Verdict[] {
  const accepted = problems.length === 0;
  const reason = accepted ? "Accepted" : "Invalid";
  const why = problems.map(({ field, message }) => `${field}: ${message}`).join("; ");
  const keeping = kept.map(({ pool, generation }) => `; nodes of pool ${pool} keep generation ${generation}`).join("");
  const message = accepted ? "Success" : `Error: ${why}${keeping}`;
  return [
    ...(conflicts.length > 0 ? [conflicting(name, conflicts)] : []),
    ...(ignored.length > 0 ? [holding("Ignored", "FieldsWithoutEffect", ignored.join("; "))] : []),
    { type: "Accepted", status: accepted ? "True" : "False", reason, message },
    holding(accepted ? "Success" : "Failure", reason, message),
  ];
}

function conflicting(name: string, conflicts: Outcome["conflicts"]): Verdict {
  const texts = conflicts.map((conflict) => `pool ${conflict.pool}: ${conflictText(name, conflict)}`);
  return holding("Conflicting", "FieldsSetTwice", texts.join("; "));
}

function conflictText(name: string, { field, older, newer }: Conflict): string {
  return name === newer
    ? `${field} is used from here, and not from ${older}, which is older`
    : `${field} is used from ${newer}, which is newer, and not from here`;
}

function holding(type: string, reason: string, message: string): Verdict {
  return { type, status: "True", reason, message };
}
