import { type Condition, setCondition } from "../../../language/object/condition.ts";
import type { Finding } from "../../finding.ts";
import type { Tuned } from "../api.ts";
import type { BootCondition } from "../boot/boot-conditions.ts";
import { tunedFindings, type TunedSurroundings } from "../tuned-findings.ts";

export interface StatusInput extends TunedSurroundings {
  /** By Tuned: its rules that tie with others. */
  readonly ties: ReadonlyMap<string, readonly string[]>;
  /** By Tuned: what happened to the boot arguments of its profiles. */
  readonly boot: ReadonlyMap<string, BootCondition>;
  readonly now: string;
}

/** The status of a Tuned: Valid=False while anything in it has no effect. */
export function tunedStatus(tuned: Tuned, input: StatusInput): NonNullable<Tuned["status"]> {
  const before = tuned.status?.conditions ?? [];
  const boot = input.boot.get(tuned.metadata.name ?? "");
  // A Tuned without boot arguments has no condition about them.
  const others = boot ? before : before.filter(({ type }) => type !== "BootArguments");
  let conditions = setCondition(others, valid(tuned, input), input.now);
  if (boot) conditions = setCondition(conditions, { type: "BootArguments", ...boot }, input.now);
  return { ...tuned.status, conditions: [...conditions], observedGeneration: tuned.metadata.generation };
}

/** The reason of Valid=True where something may be a mistake. */
export const possibleMistake = "PossibleMistake";

function valid(tuned: Tuned, input: StatusInput): Omit<Condition, "lastTransitionTime"> {
  const findings = tunedFindings(tuned, input);
  const messages = (severity: Finding["severity"]): string[] =>
    findings.filter((one) => one.severity === severity).map(({ message }) => message);
  const [errors, warnings] = [messages("error"), messages("warning")];
  if (errors.length > 0)
    return {
      type: "Valid",
      status: "False",
      reason: "InvalidConfiguration",
      message: sentences([...errors, ...warnings]),
    };
  const notes = [...warnings, ...messages("note"), ...(input.ties.get(tuned.metadata.name ?? "") ?? [])];
  const reason = warnings.length > 0 ? possibleMistake : "AsExpected";
  return { type: "Valid", status: "True", reason, message: sentences(notes) };
}

/** The first five messages, and how many more there are. */
function sentences(messages: readonly string[]): string {
  const shown = messages.slice(0, 5);
  if (messages.length > 5) shown.push(`And ${messages.length - 5} more`);
  return shown.reduce((text, next) => `${text}${/[.?!]$/.test(text) ? "" : "."} ${next}`, shown.shift() ?? "");
}
