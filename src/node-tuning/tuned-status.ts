import { type Condition, setCondition } from "../object/condition.ts";
import { defaultTunedName } from "./default-tuned.ts";
import type { Tuned } from "./api.ts";
import type { ProfileTexts } from "./profile-texts.ts";
import type { Rule } from "./rule.ts";

export interface TunedFindings {
  readonly texts: ProfileTexts;
  readonly rules: readonly Rule[];
  /** By Tuned: which of its rules tie with others, and where. */
  readonly ties: ReadonlyMap<string, readonly string[]>;
}

/** What is told about a Tuned. It says Valid=False while any part of it is not used. */
export function tunedStatus(tuned: Tuned, findings: TunedFindings, now: string): NonNullable<Tuned["status"]> {
  const conditions = setCondition(tuned.status?.conditions ?? [], valid(tuned, findings), now);
  return { ...tuned.status, conditions: [...conditions], observedGeneration: tuned.metadata.generation };
}

function valid(tuned: Tuned, findings: TunedFindings): Omit<Condition, "lastTransitionTime"> {
  const conflicts = conflictingNames(tuned, findings);
  if (conflicts.length > 0) return invalid("InvalidConfiguration", conflicts);
  const unsupported = ruleProblems(tuned, findings);
  if (unsupported.length > 0) return invalid("NotSupported", unsupported);
  const notes = [...managementStateIgnored(tuned), ...(findings.ties.get(tuned.metadata.name ?? "") ?? [])];
  return { type: "Valid", status: "True", reason: "AsExpected", message: sentences(notes) };
}

function invalid(reason: string, messages: readonly string[]): Omit<Condition, "lastTransitionTime"> {
  return { type: "Valid", status: "False", reason, message: sentences(messages) };
}

function conflictingNames({ metadata: { name = "" } }: Tuned, { texts }: TunedFindings): string[] {
  return [...texts.conflicts()]
    .filter(([, tuneds]) => tuneds.has(name))
    .map(([profile, tuneds]) => {
      const where = tuneds.size > 1 ? `the Tuneds ${[...tuneds].toSorted().join(", ")}` : "this Tuned";
      return `profile ${JSON.stringify(profile)} has different texts in ${where}: nodes that need it keep what they have`;
    });
}

function ruleProblems({ metadata: { name = "" } }: Tuned, { rules }: TunedFindings): string[] {
  return rules
    .filter((rule) => rule.tuned === name)
    .toSorted((a, b) => a.index - b.index)
    .flatMap((rule) => rule.problems);
}

function managementStateIgnored({ metadata, spec }: Tuned): string[] {
  const ignored = spec?.managementState !== undefined && metadata.name !== defaultTunedName;
  return ignored ? [`managementState counts on the Tuned ${defaultTunedName} only`] : [];
}

/** Conditions are read by people: a few, and how many more. */
function sentences(messages: readonly string[]): string {
  const shown = messages.slice(0, 5).join(". ");
  return messages.length > 5 ? `${shown}. And ${messages.length - 5} more` : shown;
}
