import { parseInteger } from "../cpu/integer.ts";
import { unquote } from "./plugin-text.ts";

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
 * A mask or number without leading zeros and the commas among them; `0` comes to nothing. Written so that it takes linear time:
 * TuneD's own expression for it takes exponential time on a row of zeros before a letter.
 */
export function normalValue(value: string): string {
  const text = unquote(value);
  const digits = text.trimStart();
  const zeros = /^0(?:0|,(?=0))*,?/.exec(digits)?.[0];
  if (zeros === undefined) return text;
  const rest = digits.slice(zeros.length);
  return /^[0-9a-fA-F,]*$/.test(rest.trimEnd()) ? rest : text;
}

/** Whether a file holds what was wanted: as numbers, as hexadecimal ones, as text, or as one of several `a | b`. */
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
