import { type Budget, newBudget } from "./budget.ts";
import { argumentsOf, choicesOf, endOfCall } from "./calls.ts";
import { expand } from "./expand.ts";
import { noAnswers } from "./probe.ts";

/** A kernel argument in which holes stand for what only the node knows. */
export type Template = string;

/** Characters for private use, which no profile contains: text without blanks and quotes; numbers, lists and masks. */
const holes = { text: "\u{E000}", numbers: "\u{E001}" };

/** Every definition of each variable that a text may refer to. */
export interface Definitions {
  readonly of: (variable: string) => readonly string[];
  /** A file of the node may define others. */
  readonly incomplete: boolean;
}

interface Scope extends Definitions {
  readonly budget: Budget;
}

const mostAlternatives = 256;
/** For each step, in characters: variables that double the one before have many steps and little text. */
const costOfStep = 100;

/**
 * Each argument of an unexpanded text, as all texts that it may become; undefined if there are too many. A text that is
 * longer than an expansion may be is none of them.
 */
export function templatesOf(text: string, definitions: Definitions): Template[][][] | undefined {
  const scope = { ...definitions, budget: newBudget() };
  const found = wordsOf(text).map((word) => alternatives(word, scope, new Set()));
  if (found.some((each) => each.length > mostAlternatives)) return undefined;
  return found.map((each) => each.map((one) => one.split(/\s+/).filter((word) => word !== "")));
}

/** Whether a node can choose the name of the argument: its text may then be anything. */
export function isUnbounded(template: Template): boolean {
  const [name = ""] = template.split("=");
  return name.includes(holes.text);
}

/** Runs in the product of both lengths, whatever a node sends. */
export function fits(template: Template, word: string): boolean {
  const items = [...template];
  let places = skipped(items, [0]);
  for (const character of word) {
    const next = places.flatMap((place) => {
      const item = items[place];
      if (item === holes.text) return /[\s"]/.test(character) ? [] : [place];
      if (item === holes.numbers) return /[0-9a-fx,-]/i.test(character) ? [place] : [];
      return item === character ? [place + 1] : [];
    });
    places = skipped(items, next);
    if (places.length === 0) return false;
  }
  return places.includes(items.length);
}

/** A hole may be empty. */
function skipped(items: readonly string[], places: readonly number[]): number[] {
  const all = new Set(places);
  for (const place of all) if (items[place] === holes.text || items[place] === holes.numbers) all.add(place + 1);
  return [...all];
}

/** Blanks separate outside of calls. */
function wordsOf(text: string): string[] {
  const words: string[] = [];
  let word = "";
  for (let i = 0; i < text.length; i++) {
    const end = text.startsWith("${", i) ? (endOfCall(text, i) ?? text.length) : i + 1;
    const part = text.slice(i, end);
    if (/^\s$/.test(part)) {
      words.push(word);
      word = "";
    } else word += part;
    i = end - 1;
  }
  return [...words, word].filter((one) => one !== "");
}

function alternatives(text: string, scope: Scope, within: ReadonlySet<string>): string[] {
  if (!scope.budget.insert(text.length + costOfStep)) return [];
  const start = text.indexOf("${");
  const end = start < 0 ? undefined : endOfCall(text, start);
  if (end === undefined) return [text];
  const inserted = insertions(text.slice(start + 2, end - 1), scope, within);
  const rests = alternatives(text.slice(end), scope, within);
  return product([[text.slice(0, start)], inserted, rests]).filter((one) => scope.budget.insert(one.length));
}

/** Cut off just above the bound, which the caller checks. */
function product(parts: readonly (readonly string[])[]): string[] {
  return parts.reduce<string[]>(
    (texts, part) =>
      texts
        .flatMap((text) => part.slice(0, mostAlternatives + 1).map((one) => text + one))
        .slice(0, mostAlternatives + 1),
    [""],
  );
}

/** What `${inner}` may become. */
function insertions(inner: string, scope: Scope, within: ReadonlySet<string>): string[] {
  if (!inner.startsWith("f:")) {
    const known = within.has(inner) ? [] : scope.of(inner);
    const texts = known.flatMap((text) => alternatives(text, scope, new Set([...within, inner])));
    // TuneD leaves a name that is defined nowhere as it is written.
    return known.length > 0 ? [...new Set(texts)] : [scope.incomplete ? holes.text : `\${${inner}}`];
  }
  const [name = "", ...args] = argumentsOf(inner.slice("f:".length));
  const given = args.map((arg) => alternatives(arg, scope, within));
  const calls = product([[`\${f:${name}`], ...given.map((texts) => texts.map((text) => `:${text}`)), ["}"]]);
  const results = calls.map(resultOf);
  if (results.every((result) => result !== undefined)) return [...new Set(results)];
  const isCheck = name === "cpuinfo_check" || name === "lscpu_check";
  const choices = choicesOf(name, isCheck && args.length % 2 === 0 ? [...given, [""]] : given);
  if (!choices) return [numeric.test(name) ? holes.numbers : holes.text];
  return [...new Set(choices.flat().map((text) => text.replaceAll("\\:", ":")))];
}

const numeric = /^(cpulist(?!2devs)|hex2cpulist|calc_isolated_cores|package2cpus|kb2s|s2kb|check_net_queue_count)/;

/** Undefined if it depends on the node. */
function resultOf(call: string): string | undefined {
  if (Object.values(holes).some((hole) => call.includes(hole))) return undefined;
  const { text, probes, problems } = expand(call, { variables: new Map(), answers: noAnswers });
  return probes.length + problems.length > 0 ? undefined : text;
}
