import type { Observe } from "./plugin.ts";

/**
 * What a value comes to on this node. To apply, `>N` and `<N` are seen against what was there before anybody tuned it, so
 * that applying twice changes nothing; to verify, against what is there now.
 */
export function wantedValue(value: string, target: string, before: string, observe: Observe): string {
  return withModifier(value, observe.purpose === "verify" ? before : (observe.original(target) ?? before));
}

/**
 * What `>N` (at least) and `<N` (at most) come to where the file held `original` before tuning. Anything else is meant
 * as it is written, as is a comparison in which one side is not a whole number.
 */
export function withModifier(value: string, original: string): string {
  const operator = value[0];
  if (value.length < 2 || (operator !== ">" && operator !== "<")) return value;
  const wanted = wholeNumber(value.slice(1));
  const present = wholeNumber(original);
  if (wanted === undefined || present === undefined) return value;
  const moves = operator === ">" ? wanted > present : wanted < present;
  return moves ? value.slice(1).trim() : original.trim();
}

function wholeNumber(text: string): bigint | undefined {
  const digits = text.trim();
  return /^[+-]?[0-9]{1,30}$/.test(digits) ? BigInt(digits.replace("+", "")) : undefined;
}

/** One pair of enclosing double quotes goes, and only if both are there. */
export function unquoted(value: string): string {
  return value.length >= 2 && value.startsWith('"') && value.endsWith('"') ? value.slice(1, -1) : value;
}
