import type { Section } from "./unit.ts";

/**
 * The kernel arguments of a bootloader section, not yet expanded. Every option whose name starts with `cmdline` counts, in
 * order: `+` and a bare text add words, `-` removes words that were added before, a backslash escapes the sign after it.
 */
export function bootCommandLine(options: Section["options"]): string {
  let words = "";
  for (const [key, { value, raw = value }] of options) {
    if (!key.startsWith("cmdline") || raw === "") continue;
    const rest = raw.slice(1).trim();
    if (raw.startsWith("+") || /^\\[\\+-]/.test(raw)) words += rest === "" ? "" : ` ${rest}`;
    else if (raw.startsWith("-")) words = without(words, rest.split(/\s+/));
    else words += ` ${raw}`;
  }
  return words.trim();
}

/** Removes whole words, each with the blank before it; the other blanks stay. */
function without(words: string, removed: readonly string[]): string {
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
