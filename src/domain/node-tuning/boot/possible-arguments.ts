import { anyText, type Known, type Template, templatesOf, wordsOf } from "../../../language/tuned/argument-template.ts";
import { commandLineChanges, splitArguments, without } from "../../../language/tuned/boot-arguments.ts";
import { newBudget } from "../../../language/tuned/budget.ts";
import { everyChain } from "../../../language/tuned/chain/every-chain.ts";
import { parseInteger } from "../../../language/cpu/integer.ts";
import { type Answers, mayBeRefused } from "../../../language/tuned/probe.ts";
import { mergeChain, type MergedChain } from "../../../language/tuned/resolve.ts";
import { isTrue, type Section, typeOf } from "../../../language/tuned/unit.ts";
import type { ProfileSpec } from "../api.ts";
import { certainAnswers, expectedProfile, profilesOf } from "../expected-profile.ts";
import { ProfileTexts } from "../profile-texts.ts";
import { type LinePart, matchesLine } from "./match-line.ts";

/** The boot arguments that nodes can truthfully report for a Profile. */
export type PossibleArguments =
  /** The node alone decides: it has profiles that are unknown here, or there are too many ways to answer. */
  | { readonly type: "any" }
  /** Nothing depends on the node. */
  | { readonly type: "exactly"; readonly words: readonly string[] }
  /** One for each way in which a node may answer. */
  | { readonly type: "shaped"; readonly lines: readonly (readonly LinePart[])[] };

/** The kernel reads at most 4096 characters, on any architecture. */
const longestLine = 4096;

/** Blanks and tabs separate arguments. The kernel separates them at a byte that is part of some letters too: 0xA0. */
const printable = /^[\t -~]*$/;

export function isPossible(line: string, possible: PossibleArguments): boolean {
  if (line.length > longestLine || !printable.test(line)) return false;
  if (possible.type === "any") return true;
  const found = splitArguments(line).join(" ");
  if (possible.type === "exactly") return found === possible.words.join(" ");
  const words = found === "" ? [] : found.split(" ");
  return possible.lines.some((one) => matchesLine(words, one));
}

/**
 * An attacker on one node can report anything, and the report reaches all nodes of the pool: it is bounded by what the
 * texts of the Profile can yield, in their order, whatever a node answers.
 */
export function possibleArguments(spec: ProfileSpec): PossibleArguments {
  const { tunedProfile } = spec.config;
  const texts = new ProfileTexts([{ apiVersion: "", kind: "", metadata: {}, spec: { profile: spec.profile } }]);
  if (!tunedProfile.split(/\s+/).every((name) => texts.reachableFrom(name))) return { type: "any" };
  const expected = expectedProfile(spec);
  if (expected.type === "invalid") return { type: "exactly", words: [] };
  if (expected.unresolved.length === 0) return { type: "exactly", words: expected.profile.bootArguments };

  const answers = certainAnswers(spec);
  const lines = new Map<string, readonly LinePart[]>();
  const chains = everyChain(profilesOf(spec), answers);
  for (const merged of chains?.map(mergeChain) ?? [])
    for (const section of lastBootloaders(merged)) {
      const line = section ? lineOf(section, merged, answers) : [];
      if (!line) return { type: "any" };
      lines.set(JSON.stringify(line), line);
    }
  return chains ? { type: "shaped", lines: [...lines.values()] } : { type: "any" };
}

/** The sections of which a node applies one, as the last; undefined stands for none. */
function lastBootloaders({ sections }: MergedChain): (Section | undefined)[] {
  const found: Section[] = [];
  const priorityOf = ({ attributes }: Section): number =>
    Number(parseInteger(attributes.get("priority")?.value ?? "0"));
  const all = [...sections.values()]
    .filter((section) => typeOf(section) === "bootloader" && isTrue(section.attributes.get("enabled")?.value ?? "true"))
    .toSorted((a, b) => priorityOf(a) - priorityOf(b));
  for (const section of all.toReversed()) {
    found.push(section);
    if (!["uname_regex", "cpuinfo_regex"].some((name) => section.attributes.has(name))) return found;
  }
  return [...found, undefined];
}

/** Undefined if there are too many possibilities. */
function lineOf({ options }: Section, merged: MergedChain, answers: Answers): LinePart[] | undefined {
  const known = variablesOf(merged, answers);
  let parts: { text: string; isOptional: boolean }[] = [];
  const removable = new Set<string>();
  for (const { value, adds, removes } of commandLineChanges(options)) {
    const isOptional = mayBeLeftOut(value, merged.variables);
    if (isOptional) for (const word of removes) removable.add(word);
    else parts = parts.map((part) => ({ ...part, text: without(part.text, removes) }));
    if (adds !== "") parts.push({ text: adds, isOptional });
  }
  const line: LinePart[] = [];
  for (const { text, isOptional } of unquoted(parts)) {
    const found = wordsOf(text).map((word) => {
      const templates = templatesOf(word, known)?.map(splitWords);
      return removable.has(word) ? templates?.concat([[]]) : templates;
    });
    if (!found.every((templates) => templates !== undefined)) return undefined;
    line.push({ arguments: found, isOptional });
  }
  return line;
}

/** TuneD removes one pair of quotes around the whole line. */
function unquoted<T extends { readonly text: string }>(parts: readonly T[]): readonly T[] {
  const [first, last] = [parts[0]?.text.trimStart() ?? "", parts.at(-1)?.text ?? ""];
  const isQuoted = first.startsWith('"') && last.endsWith('"') && (parts.length > 1 || first.length > 1);
  if (!isQuoted) return parts;
  const opened = parts.map((part, index) => (index === 0 ? { ...part, text: first.slice(1) } : part));
  return opened.map((part, index) => (index === opened.length - 1 ? { ...part, text: part.text.slice(0, -1) } : part));
}

function splitWords(template: Template): Template[] {
  return template.split(/\s+/).filter((word) => word !== "");
}

/** A value sees the variables before it. A file of the node may replace those that are defined before its name. */
function variablesOf({ variables }: MergedChain, answers: Answers): Known {
  const budget = newBudget();
  const values = Array.from(variables, ([name, { value }]) => ({ name, value }));
  const places = new Map(values.map(({ name }, place) => [name, place]));
  const file = places.get("include") ?? -1;
  const found = new Map<number, readonly Template[]>();
  const knownBefore = (end: number): Known => ({
    of: (name) => {
      const place = places.get(name) ?? end;
      return place < end && name !== "include" ? templatesAt(place) : undefined;
    },
    incomplete: file >= 0 && file < end,
    answers,
    budget,
  });
  const templatesAt = (place: number): readonly Template[] => {
    const known = found.get(place);
    if (known) return known;
    const templates = templatesOf(values[place]?.value ?? "", knownBefore(place)) ?? [anyText];
    const all = place < file ? [...templates, anyText] : templates;
    found.set(place, all);
    return all;
  };
  return knownBefore(values.length);
}

/** Whether an agent may refuse to run a program that the value depends on: the whole option is then left out. */
function mayBeLeftOut(value: string, variables: MergedChain["variables"]): boolean {
  const seen = new Set<string>();
  const open = [value];
  for (let text = open.pop(); text !== undefined; text = open.pop()) {
    if (mayBeRefused(text)) return true;
    for (const [, name = ""] of text.matchAll(/\$\{([\p{L}\p{N}_]+)\}/gu)) {
      if (!seen.has(name)) open.push(variables.get(name)?.value ?? "");
      seen.add(name);
    }
  }
  return false;
}
