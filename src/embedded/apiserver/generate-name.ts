import { randomUUID } from "node:crypto";

/** Kubernetes' alphabet for generated names: no vowels, so no words, and no characters that look alike. */
const alphabet = "bcdfghjklmnpqrstvwxz2456789";

/** The base, cut if need be, and five random characters: at most 63 in all. */
export function generateName(base: string): string {
  // Node caches the randomness of UUIDs: most calls need no system call.
  const digits = randomUUID();
  let suffix = "";
  for (const at of [0, 2, 4, 6, 9]) suffix += alphabet[Number.parseInt(digits.slice(at, at + 2), 16) % alphabet.length];
  return `${base.slice(0, 63 - suffix.length)}${suffix}`;
}
