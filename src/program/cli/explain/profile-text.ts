import type { NodeExplanation } from "../../../domain/node-tuning/explain/explain-node.ts";
import type { RuleVerdict } from "../../../domain/node-tuning/explain/rule.ts";
import { type Colours, printable } from "../terminal/terminal.ts";
import { type Cell, reportTable, tableOrLines, textTable, widestCell } from "../terminal/text-table.ts";
import { fileText } from "./setting-text.ts";

type Paint = (text: string) => string;
/** Of the terminal. */
type Columns = number | undefined;

export function ruleName({ tuned, index }: RuleVerdict): string {
  return `Tuned ${tuned} recommend[${index}]`;
}

/** Every rule, and why it matches or does not. */
export function ruleText(rules: readonly RuleVerdict[], colours: Colours, columns: Columns): string {
  const { green, yellow, red, dim } = colours;
  if (rules.length === 0) return "";
  const paints = {
    chosen: green,
    tied: yellow,
    "lower priority": (text) => text,
    "no match": dim,
    unusable: red,
  } satisfies Record<RuleVerdict["outcome"], Paint>;
  const cells = rules.map((rule) => {
    const cell = (text: string): Cell => ({ text: printable(text), paint: paints[rule.outcome] });
    const priority = `${rule.outcome === "chosen" ? "→" : " "} ${rule.priority}`;
    const outcome = rule.outcome === "lower priority" ? "matches, lower priority" : rule.outcome;
    return { rule, cell, priority, outcome };
  });
  const table = cells.map(({ rule, cell, priority, outcome }) =>
    [priority, `${rule.tuned} recommend[${rule.index}]`, rule.profile, outcome, rule.because].map(cell),
  );
  const lines = cells.flatMap(({ rule, cell, priority, outcome }) => [
    [cell(priority), cell(`${rule.tuned} recommend[${rule.index}]: ${outcome}`)],
    [cell(""), cell(`profile ${rule.profile}`)],
    [cell(""), cell(rule.because)],
  ]);
  const headings = ["  PRIORITY", "RULE", "PROFILE", "OUTCOME", "BECAUSE"];
  return tableOrLines(textTable(headings, table, { widest: widestCell }), lines, columns);
}

/** Without conditions that are true and have no message, and that of boot arguments, which have their own section. */
export function tunedText({ tuneds, rules, boot }: NodeExplanation, colours: Colours, columns: Columns): string {
  const { red, dim, yellow } = colours;
  const chosen = boot && rules.find(({ outcome }) => outcome === "chosen")?.tuned;
  const found = tuneds.flatMap(({ name, conditions }) =>
    conditions
      .filter(({ status, message }) => status !== "True" || message !== "")
      .filter(({ type }) => type !== "BootArguments" || name !== chosen)
      .map((condition) => ({ name: printable(name), condition })),
  );
  if (found.length === 0) return "";
  const paint = (status: string): Paint => (status === "True" ? yellow : red);
  const table = found.map(({ name, condition: { type, status, reason, message } }): Cell[] => [
    name,
    { text: `${type}=${status}`, paint: paint(status) },
    { text: reason, paint: dim },
    printable(message),
  ]);
  const lines = found.flatMap(({ name, condition: { type, status, reason, message } }): Cell[][] => [
    [{ text: `${name}: ${type}=${status} (${reason})`, paint: paint(status) }],
    ...(message === "" ? [] : [[`    ${printable(message)}`]]),
  ]);
  const headings = ["TUNED", "CONDITION", "REASON", "MESSAGE"];
  return tableOrLines(textTable(headings, table, { widest: widestCell }), lines, columns);
}

/** The profiles that are merged. */
export function chainText(chain: NodeExplanation["chain"], { dim }: Colours, columns: Columns): string {
  if (chain.length === 0) return "";
  const found = chain.map(({ profile, file, tuneds, include }) => ({
    profile: printable(profile),
    from: tuneds.length > 0 ? printable(`Tuned ${tuneds.join(", ")}`) : "",
    file: fileText(include ? `${file}:${include.line}` : file, columns),
    includes: printable(include?.names.join(", ") ?? ""),
  }));
  const table = found.map(({ profile, from, file, includes }): Cell[] => [
    profile,
    from === "" ? { text: "every node", paint: dim } : from,
    { text: file, paint: dim },
    includes,
  ]);
  const lines = found.flatMap(({ profile, from, file, includes }): Cell[][] => [
    [profile],
    [{ text: `    ${from === "" ? "" : `${from}, `}${file}`, paint: dim }],
    ...(includes === "" ? [] : [[{ text: `    includes ${includes}`, paint: dim }]]),
  ]);
  return tableOrLines(reportTable(["PROFILE", "FROM", "FILE", "INCLUDES"], table), lines, columns);
}
