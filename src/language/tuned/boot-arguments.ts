import type { Section } from "./unit.ts";

/**
 * The kernel arguments of a bootloader section, not yet expanded. Every option whose name starts with `cmdline` counts, in
 * order: `+` and a bare text add words, `-` removes words that were added before, a backslash escapes the sign after it.
 */
export function bootCommandLine(options: Section["options"]): string {
  let words = "";
  for (const { adds, removes } of commandLineChanges(options)) {
    words = without(words, removes);
    words += adds;
  }
  return words.trim();
}

export interface CommandLineChange {
  /** The option's value, not yet expanded. */
  readonly value: string;
  /** Begins with a blank, if there is anything to add. */
  readonly adds: string;
  readonly removes: readonly string[];
}

/** What each option adds or removes, in order. */
export function commandLineChanges(options: Section["options"]): CommandLineChange[] {
  return Array.from(options).flatMap(([key, { value: expanded, raw: value = expanded }]): CommandLineChange[] => {
    if (!key.startsWith("cmdline") || value === "") return [];
    const rest = value.slice(1).trim();
    if (value.startsWith("-")) return [{ value, adds: "", removes: rest.split(/\s+/) }];
    const isSigned = value.startsWith("+") || /^\\[\\+-]/.test(value);
    const added = isSigned ? rest : value;
    return [{ value, adds: added === "" ? "" : ` ${added}`, removes: [] }];
  });
}

/** Removes whole words, each with the blank before it; the other blanks stay. */
export function without(words: string, removed: readonly string[]): string {
  const unwanted = new Set(removed.filter((word) => word !== ""));
  if (unwanted.size === 0) return words;
  return words
    .split(/(?=\s)/)
    .filter((part) => !unwanted.has(part.trim()))
    .join("");
}

/** Splits a kernel command line. Quotes keep spaces and stay in the argument; there is no escape for them, as in the kernel. */
export function splitArguments(line: string): string[] {
  const found: string[] = [];
  let current = "";
  let quoted = false;
  for (const character of line) {
    if (character === '"') quoted = !quoted;
    if (!quoted && " \t\n\r\f\v".includes(character)) {
      if (current !== "") found.push(current);
      current = "";
    } else current += character;
  }
  if (current !== "") found.push(current);
  return found;
}

/** An argument as the kernel reads it: quotes around its value or around the whole of it do not count. GRUB moves them. */
export function withoutQuotes(argument: string): string {
  const start = argument.startsWith('"') ? 0 : argument.indexOf("=") + 1;
  if (argument[start] !== '"') return argument;
  const rest = argument.slice(start + 1);
  return argument.slice(0, start) + (rest.endsWith('"') ? rest.slice(0, -1) : rest);
}
