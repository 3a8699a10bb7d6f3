const decimal = /^[1-9][0-9]*$/;

/**
 * Whether `a` comes before `b`. Versions of one resource are decimal numbers that grow and may exceed what a double
 * holds; those of servers with other ideas cannot be compared, and then nothing is older.
 */
export function isOlder(a: string, b: string): boolean {
  if (!decimal.test(a) || !decimal.test(b)) return false;
  return a.length === b.length ? a < b : a.length < b.length;
}
