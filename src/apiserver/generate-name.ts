import { randomBytes } from "node:crypto";

/** Without vowels and look-alikes, so that chance spells nothing and names can be read aloud. */
const alphabet = "bcdfghjklmnpqrstvwxz2456789";

/** The base, cut if need be, and five characters of chance: a name of at most 63. */
export function generateName(base: string): string {
  let suffix = "";
  for (const byte of randomBytes(5)) suffix += alphabet[byte % alphabet.length];
  return `${base.slice(0, 63 - suffix.length)}${suffix}`;
}
