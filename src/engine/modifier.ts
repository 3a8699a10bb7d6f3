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
