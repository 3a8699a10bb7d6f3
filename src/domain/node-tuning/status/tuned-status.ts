import { type Condition, setCondition } from "../../../language/object/condition.ts";
import { isSafeName } from "../../../language/tuned/chain/include.ts";
import { formatProblem } from "../../../language/tuned/problem.ts";
import { parseProfile } from "../../../language/tuned/text/parse-profile.ts";
import type { Tuned } from "../api.ts";
import type { BootCondition } from "../boot/boot-conditions.ts";
import { defaultTunedName } from "../default-tuned.ts";
import type { ProfileTexts } from "../profile-texts.ts";
import { type Rule, rulesOf } from "../rule.ts";

export interface TunedFindings {
  readonly texts: ProfileTexts;
  readonly rules: readonly Rule[];
  /** By Tuned: its rules that tie with others. */
  readonly ties: ReadonlyMap<string, readonly string[]>;
  /** By Tuned: what happened to the boot arguments of its profiles. */
  readonly boot: ReadonlyMap<string, BootCondition>;
}

/** The status of a Tuned: Valid=False while anything in it is wrong. */
export function tunedStatus(tuned: Tuned, findings: TunedFindings, now: string): NonNullable<Tuned["status"]> {
  const before = tuned.status?.conditions ?? [];
  const boot = findings.boot.get(tuned.metadata.name ?? "");
  // A Tuned without boot arguments has no condition about them.
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
      const where = tuneds.size > 1 ? `differently in Tuneds ${listed([...tuneds].toSorted())}` : "twice, differently";
      return `profile ${JSON.stringify(profile)} is defined ${where}: affected nodes keep their current profile`;
    });
}

function ruleProblems({ metadata: { name = "" } }: Tuned, { rules }: TunedFindings): string[] {
  return rules
    .filter((rule) => rule.tuned === name)
    .toSorted((a, b) => a.index - b.index)
    .flatMap(problemsOf);
}

function problemsOf({ index, problem, usesPods }: Rule): string[] {
  if (problem !== undefined) return [problem];
  const advice = "they make the operator watch every pod of the cluster; label nodes instead";
  return usesPods ? [`recommend[${index}].match: labels of pods are deprecated: ${advice}. The rule is used`] : [];
}

function managementStateIgnored({ metadata, spec }: Tuned): string[] {
  const ignored = spec?.managementState !== undefined && metadata.name !== defaultTunedName;
  return ignored ? [`managementState is ignored: only that of the Tuned ${defaultTunedName} has an effect`] : [];
}

/** `a and b`, `a, b and c` */
function listed(names: readonly string[]): string {
  return `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

/** The first five messages, and how many more there are. */
function sentences(messages: readonly string[]): string {
  const shown = messages.slice(0, 5).join(". ");
  return messages.length > 5 ? `${shown}. And ${messages.length - 5} more` : shown;
}

/**
 * What the webhook warns about when a Tuned is written, judging by the Tuned alone. It rejects none: manifests are applied in
 * any order, so that a rule may name a profile that comes later, and the status reports the result.
 */
export function tunedWarnings(tuned: Tuned): string[] {
  return [...profileWarnings(tuned), ...rulesOf([tuned]).flatMap(problemsOf)];
}

function profileWarnings({ spec }: Tuned): string[] {
  const warnings: string[] = [];
  const texts = new Map<string, string>();
  for (const [i, { name, data }] of (spec?.profile ?? []).entries()) {
    const place = `profile[${i}]`;
    const known = texts.get(name);
    if (known !== undefined && known !== data)
      warnings.push(`${place}: another profile named ${JSON.stringify(name)} has a different text`);
    texts.set(name, data);
    if (!isSafeName(name)) warnings.push(`${place}.name: ${JSON.stringify(name)} is not a valid name of a profile`);
    for (const problem of parseProfile(data, "data").problems)
      warnings.push(`${place}.${formatProblem(problem)}; TuneD rejects the whole profile`);
  }
  return warnings;
}
