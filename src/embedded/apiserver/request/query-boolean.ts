/** As Go reads a boolean: `?watch` alone is true too. */
export function isTrue(value: string | null): boolean {
  return value !== null && !["0", "f", "F", "false", "FALSE", "False"].includes(value);
}
