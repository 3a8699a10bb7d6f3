import { parseInteger } from "../cpu/integer.ts";

export type Assignment =
  | { type: "write"; value: string }
  /** The current value is enough. */
  | { type: "keep" }
  /** One side is not a number: TuneD writes the value with its `>` or `<`. */
  | { type: "incomparable"; value: string };

/** `>N` raises the current value to N, `<N` lowers it to N; any other value is written as it is. */
export function assign(wanted: string, current: string | undefined): Assignment {
  const operator = wanted[0];
  if (wanted.length < 2 || (operator !== ">" && operator !== "<")) return { type: "write", value: wanted };
  const value = wanted.slice(1);
  if (current === undefined) return { type: "write", value };
  const [next, present] = [parseInteger(value), parseInteger(current)];
  if (next === undefined || present === undefined) return { type: "incomparable", value: wanted };
  return (operator === ">" ? next > present : next < present) ? { type: "write", value } : { type: "keep" };
}

/**
 * A mask or number without leading zeros and the commas among them; `0` becomes an empty text. Takes linear time: TuneD's
 * own expression takes exponential time on a row of zeros before a letter (Q23).
 */
export function normalValue(value: string): string {
  const text = unquote(value);
  const digits = text.trimStart();
  const zeros = /^0(?:0|,(?=0))*,?/.exec(digits)?.[0];
  if (zeros === undefined) return text;
  const rest = digits.slice(zeros.length);
  return /^[0-9a-fA-F,]*$/.test(rest.trimEnd()) ? rest : text;
}

/** TuneD's comparison: as decimal numbers, else as hexadecimal ones, else as text, or one of several `a | b`. */
export function isSameValue(expected: string, actual: string): boolean {
  const [wanted, present] = [normalValue(expected), normalValue(actual)];
  const [a, b] = [parseInteger(wanted), parseInteger(present)];
  if (a !== undefined && b !== undefined) return a === b;
  const [x, y] = [hexadecimal(wanted), hexadecimal(present)];
  if (x !== undefined && y !== undefined) return x === y;
  return wanted === present || wanted.split("|").some((alternative) => alternative.trim() === present);
}

function hexadecimal(text: string): bigint | undefined {
  const digits = text.trim().replace(/^0x/i, "");
  return /^[0-9a-f]{1,4096}$/i.test(digits) ? BigInt(`0x${digits}`) : undefined;
}

/** Whether a yes-or-no option of a plug-in is on: TuneD takes `true` and `1`, in any case, and nothing else. */
export function optionIsTrue(text: string): boolean {
  return ["true", "1"].includes(text.toLowerCase());
}

/** Without one pair of enclosing double quotes. */
export function unquote(text: string): string {
  return text.length >= 2 && text.startsWith('"') && text.endsWith('"') && !text.includes("\n")
    ? text.slice(1, -1)
    : text;
}

/** Runs of blanks become one blank; blanks at the ends go. */
export function collapseBlanks(text: string): string {
  return text.trim().replaceAll(/\s+/g, " ");
}

/** The chosen word of `always [madvise] never`; without brackets the first word or, on request, the whole text. */
export function activeOption(text: string, otherwise: "first word" | "everything" = "first word"): string {
  const open = text.lastIndexOf("[");
  const close = open < 0 ? -1 : text.indexOf("]", open);
  if (close > 0) return text.slice(open + 1, close);
  return otherwise === "first word" ? (text.trim().split(/\s+/)[0] ?? "") : text;
}

/** TuneD's `get_bool`: words for yes and no become 1 and 0; any other text stays. */
export function truthDigit(text: string): string {
  const word = text.trim().toLowerCase();
  if (["y", "yes", "t", "true"].includes(word)) return "1";
  if (["n", "no", "f", "false"].includes(word)) return "0";
  return text;
}

const units = new Map([
  ["", 1n],
  ["kb", 1024n],
  ["mb", 1024n ** 2n],
  ["gb", 1024n ** 3n],
]);

/** `1MB` in bytes. */
export function parseSize(text: string): bigint | undefined {
  const [, digits, unit = ""] = /^\s*([0-9]{1,18})\s*([a-z]*)\s*$/i.exec(text) ?? [];
  const factor = units.get(unit.toLowerCase());
  return digits === undefined || factor === undefined ? undefined : BigInt(digits) * factor;
}

/**
 * Sets keys in a file of `KEY="value"` lines, as TuneD does: wherever `KEY=` stands, in comments too. With `add`, a key that
 * is missing gets a line at the end.
 */
export function setKeys(text: string, values: ReadonlyMap<string, string>, add = true): string {
  let result = text;
  for (const [key, value] of values) {
    const lines = result.split("\n");
    const ends = lines.map((line) => endOfKey(line, key));
    if (ends.some((end) => end !== undefined))
      result = lines
        .map((line, index) => (ends[index] === undefined ? line : `${line.slice(0, ends[index])}"${value}"`))
        .join("\n");
    else if (add) result += `${result === "" || result.endsWith("\n") ? "" : "\n"}${key}="${value}"\n`;
  }
  return result;
}

/** The index after `KEY=`, where the key is a whole word of the line. */
function endOfKey(line: string, key: string): number | undefined {
  for (let at = line.indexOf(key); at >= 0; at = line.indexOf(key, at + 1)) {
    const rest = line.slice(at + key.length);
    const blanks = rest.length - rest.trimStart().length;
    if (rest[blanks] === "=" && !/\w/.test(line.charAt(at - 1))) return at + key.length + blanks + 1;
  }
  return undefined;
}
