import { type Condition, setCondition } from "../../../language/object/condition.ts";
import type { Tuned } from "../api.ts";
import type { BootCondition } from "../boot/boot-conditions.ts";
import { defaultTunedName } from "../default-tuned.ts";
import type { ProfileTexts } from "../profile-texts.ts";
import type { Rule } from "../rule.ts";

export interface TunedFindings {
  readonly texts: ProfileTexts;
  readonly rules: readonly Rule[];
  /** By Tuned: which of its rules tie with others, and where. */
  readonly ties: ReadonlyMap<string, readonly string[]>;
  /** By Tuned: what became of the boot arguments of its profiles. */
  readonly boot: ReadonlyMap<string, BootCondition>;
}

/** What is told about a Tuned. It says Valid=False while anything in it is wrong. */
export function tunedStatus(tuned: Tuned, findings: TunedFindings, now: string): NonNullable<Tuned["status"]> {
  const before = tuned.status?.conditions ?? [];
  const boot = findings.boot.get(tuned.metadata.name ?? "");
  // A Tuned of which no boot arguments ever came has no word on them.
  const others = boot ? before : before.filter(({ type }) => type !== "BootArguments");
  let conditions = setCondition(others, valid(tuned, findings), now);
  if (boot) conditions = setCondition(conditions, { type: "BootArguments", ...boot }, now);
  return { ...tuned.status, conditions: [...conditions], observedGeneration: tuned.metadata.generation };
}

function valid(tuned: Tuned, findings: TunedFindings): Omit<Condition, "lastTransitionTime"> {
  const wrong = [...conflictingNames(tuned, findings), ...ruleProblems(tuned, findings)];
  if (wrong.length > 0)
    return { type: "Valid", status: "False", reason: "InvalidConfiguration", message: sentences(wrong) };
  const notes = [...managementStateIgnored(tuned), ...(findings.ties.get(tuned.metadata.name ?? "") ?? [])];
  return { type: "Valid", status: "True", reason: "AsExpected", message: sentences(notes) };
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
    .flatMap(problemsOf);
}

export function problemsOf({ index, problem, usesPods }: Rule): string[] {
  if (problem !== undefined) return [problem];
  const advice = "every change of any pod is then a question of tuning; label nodes instead";
  return usesPods ? [`recommend[${index}].match: labels of pods are deprecated: ${advice}. The rule is used`] : [];
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
