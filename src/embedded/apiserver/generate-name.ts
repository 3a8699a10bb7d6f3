import { randomUUID } from "node:crypto";

/** Without vowels and look-alikes, so that chance spells nothing and names can be read aloud. */
const alphabet = "bcdfghjklmnpqrstvwxz2456789";

/** The base, cut if need be, and five characters of chance: a name of at most 63. */
export function generateName(base: string): string {
  // Of all that gives chance, Node has this at hand without asking the system each time.
  const digits = randomUUID();
  let suffix = "";
  for (const at of [0, 2, 4, 6, 9]) suffix += alphabet[Number.parseInt(digits.slice(at, at + 2), 16) % alphabet.length];
  return `${base.slice(0, 63 - suffix.length)}${suffix}`;
}
