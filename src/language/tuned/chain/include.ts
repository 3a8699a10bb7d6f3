import { argumentsOf, choicesOf, endOfCall } from "../calls.ts";

/** A profile named in `[main] include=`. */
export interface Include {
  readonly name: string;
  /** Written with a leading `-`: not an error when there is no such profile. */
  readonly optional: boolean;
}

/** `,` and `;` separate, a blank does not. Names are cut to what follows the last `/`, as TuneD does. */
export function parseIncludes(text: string): Include[] {
  const parts = text.split(/[,;]/);
  return parts
    .map((part, index) => (index > 0 ? part.trimStart() : part))
    .map((part, index) => (index < parts.length - 1 ? part.trimEnd() : part))
    .map(toInclude)
    .map(({ name, optional }) => ({ name: name.slice(name.lastIndexOf("/") + 1), optional }));
}

/**
 * Whether an include that is not yet expanded may name this profile: the parts outside `${…}` must fit. The operator sends
 * a node every profile that its include may name.
 */
export function mayInclude(text: string, profile: string): boolean {
  const start = text.indexOf("${");
  if (start < 0) return text === profile;
  const prefix = text.slice(0, start);
  const suffix = text.slice(text.lastIndexOf("}") + 1);
  return profile.length >= prefix.length + suffix.length && profile.startsWith(prefix) && profile.endsWith(suffix);
}

/**
 * The entries of an include text that is not yet expanded. A function that chooses between words stands for each of them;
 * nothing is split inside a `${…}` that only the node can expand.
 */
export function splitUnexpanded(text: string): Include[] {
  const entries = new Map<string, Include>();
  for (const alternative of alternativesOf(text))
    for (const entry of splitOutsideCalls(alternative)) {
      const include = toInclude(entry.trim());
      if (include.name !== "") entries.set(JSON.stringify([include.name, include.optional]), include);
    }
  return [...entries.values()];
}

/** The entries of an include text that need no expansion. */
export function certainIncludes(text: string): Include[] {
  return splitOutsideCalls(text)
    .filter((entry) => !entry.includes("${"))
    .map((entry) => toInclude(entry.trim()));
}

function splitOutsideCalls(text: string): string[] {
  const entries: string[] = [];
  let depth = 0;
  let entry = "";
  for (const character of text) {
    if (character === "{") depth++;
    else if (character === "}") depth = Math.max(0, depth - 1);
    if (depth === 0 && (character === "," || character === ";")) {
      entries.push(entry);
      entry = "";
    } else entry += character;
  }
  entries.push(entry);
  return entries;
}

const mostAlternatives = 64;
const longestInclude = 10_000;

/** Every text that its choosing functions may produce; a text that is too long is returned as it is. */
function alternativesOf(text: string): string[] {
  if (text.length > longestInclude) return [text];
  const done: string[] = [];
  const open = [text];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    const choice = done.length + open.length < mostAlternatives ? choiceIn(one) : undefined;
    if (!choice) done.push(one);
    else for (const word of choice.words) open.push(one.slice(0, choice.start) + word + one.slice(choice.end));
  }
  return done;
}

interface Choice {
  start: number;
  end: number;
  words: string[];
}

/** The first call that returns one of its arguments. */
function choiceIn(text: string): Choice | undefined {
  for (let start = text.indexOf("${f:"); start >= 0; start = text.indexOf("${f:", start + 1)) {
    const end = endOfCall(text, start);
    if (end === undefined) return undefined;
    const [name = "", ...args] = argumentsOf(text.slice(start + "${f:".length, end - 1));
    const words = choicesOf(name, args);
    if (words) return { start, end, words };
  }
  return undefined;
}

function toInclude(entry: string): Include {
  const optional = entry.startsWith("-");
  return { name: optional ? entry.slice(1) : entry, optional };
}

/** Names that TuneD accepts in a request: none of them is a path. */
export function isSafeName(name: string): boolean {
  return /^[A-Za-z0-9_.-]+$/.test(name);
}
