import { type Budget, newBudget } from "./budget.ts";
import { argumentsOf, choicesOf, endOfCall } from "./calls.ts";
import { expand } from "./expand.ts";
import type { Answers } from "./probe.ts";

/** A text in which holes stand for what only the node knows. */
export type Template = string;

/** Characters for private use, which no profile contains: text without blanks and quotes; numbers, lists and masks. */
const holes = { text: "\u{E000}", numbers: "\u{E001}" };
const anyHoles = /[\u{E000}\u{E001}]+/gu;

/** What a text may refer to. */
export interface Known {
  /** What a variable may be; undefined if it is not defined. */
  readonly of: (variable: string) => readonly Template[] | undefined;
  /** A file of the node may define others. */
  readonly incomplete?: boolean | undefined;
  /** Answers that do not depend on the node. */
  readonly answers: Answers;
  readonly budget?: Budget | undefined;
}

/** Any text without blanks and quotes. */
export const anyText: Template = holes.text;

const mostAlternatives = 256;
/** For each step, in characters: variables that double the one before have many steps and little text. */
const costOfStep = 100;

/**
 * All texts that an unexpanded one may become; undefined if there are too many. A text that is longer than an expansion may
 * be is none of them.
 */
export function templatesOf(text: string, known: Known): Template[] | undefined {
  const found = alternatives(text, { ...known, budget: known.budget ?? newBudget() });
  return found.length > mostAlternatives ? undefined : found;
}

/** Whether nothing but the node decides what it becomes: any number of words. */
export function isOpen(template: Template): boolean {
  return template === anyText;
}

export function hasHole(template: Template): boolean {
  return template.search(anyHoles) >= 0;
}

/** Runs in the product of both lengths, whatever a node sends. */
export function fits(template: Template, word: string): boolean {
  // One hole takes what several in a row would take.
  const items = template.replaceAll(anyHoles, (run) => (run.includes(holes.text) ? holes.text : holes.numbers));
  if (!hasHole(items) || items.replaceAll(anyHoles, "").length > word.length) return items === word;
  let places = new Uint8Array(items.length + 1);
  let next = new Uint8Array(items.length + 1);
  const reach = (at: number, reached: Uint8Array): void => {
    reached[at] = 1;
    // A hole may be empty.
    if (items[at] === holes.text || items[at] === holes.numbers) reached[at + 1] = 1;
  };
  reach(0, places);
  for (const character of word) {
    const isText = !/[\s"]/.test(character);
    const isNumeric = /[0-9a-fx,-]/i.test(character);
    for (let at = 0; at < items.length; at++) {
      if (places[at] === 0) continue;
      const item = items[at];
      if (item === holes.text ? isText : item === holes.numbers && isNumeric) reach(at, next);
      else if (item === character) reach(at + 1, next);
    }
    [places, next] = [next, places.fill(0)];
  }
  return places[items.length] === 1;
}

/** Blanks separate outside of calls. */
export function wordsOf(text: string): string[] {
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

type Scope = Known & { readonly budget: Budget };

function alternatives(text: string, scope: Scope): string[] {
  if (!scope.budget.insert(text.length + costOfStep)) return [];
  const start = text.indexOf("${");
  const end = start < 0 ? undefined : endOfCall(text, start);
  if (end === undefined) return [text];
  const inserted = insertions(text.slice(start + 2, end - 1), scope);
  const rests = alternatives(text.slice(end), scope);
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
function insertions(inner: string, scope: Scope): readonly string[] {
  // TuneD leaves a name that is not defined as it is written.
  if (!inner.startsWith("f:")) return scope.of(inner) ?? [scope.incomplete ? holes.text : `\${${inner}}`];
  const [name = "", ...args] = argumentsOf(inner.slice("f:".length));
  const given = args.map((arg) => alternatives(arg, scope));
  const calls = product([[`\${f:${name}`], ...given.map((texts) => texts.map((text) => `:${text}`)), ["}"]]);
  const results = calls.map((call) => resultOf(call, scope));
  if (results.every((result) => result !== undefined)) return [...new Set(results)];
  const isCheck = name === "cpuinfo_check" || name === "lscpu_check";
  const choices = choicesOf(name, isCheck && args.length % 2 === 0 ? [...given, [""]] : given);
  if (!choices) return [numeric.test(name) ? holes.numbers : holes.text];
  return [...new Set(choices.flat().map((text) => text.replaceAll("\\:", ":")))];
}

const numeric = /^(cpulist(?!2devs)|hex2cpulist|calc_isolated_cores|package2cpus|kb2s|s2kb|check_net_queue_count)/;

/** Undefined if it depends on the node. */
function resultOf(call: string, { answers }: Scope): string | undefined {
  if (hasHole(call)) return undefined;
  const { text, probes, problems } = expand(call, { variables: new Map(), answers });
  return probes.length + problems.length > 0 ? undefined : text;
}
