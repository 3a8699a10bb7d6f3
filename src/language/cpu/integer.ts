/** A whole number as Python's `int()` reads one: blanks around it, a sign, and `_` between digits are allowed. */
export function parseInteger(text: string): bigint | undefined {
  const digits = text.trim();
  if (digits.length > longestNumber || !/^[+-]?[0-9]+(_[0-9]+)*$/.test(digits)) return undefined;
  return BigInt(digits.replaceAll("_", "").replace(/^\+/, ""));
}

/** No kernel file has longer numbers, and parsing a BigInt takes more than linear time. */
const longestNumber = 4300;
