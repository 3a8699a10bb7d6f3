import { byteLength } from "../../language/object/byte-length.ts";
import { fnv32a } from "../../language/object/hash.ts";

/** Longest value of a label. Names that also stand in labels are cut to it. */
export const labelLimit = 63;

/**
 * `base-suffix`, cut to `max` bytes. What is cut off counts in a hash, so that equal names have equal origins. These are
 * the names of HyperShift, except that none begins with a dash or has one after a dot, which no object may have.
 */
export function joinedName(base: string, suffix: string, max: number): string {
  if (max <= 0) return "";
  const name = `${base}-${suffix}`;
  if (byteLength(name) <= max) return name;
  // Two dashes and eight digits.
  const left = max - 10 - byteLength(suffix);
  const start = left < 1 ? "" : ending(firstBytes(base, left));
  if (start !== "") return `${start}-${fnv32a(base)}-${suffix}`;
  return firstBytes(`${ending(firstBytes(base, Math.max(0, max - 9)))}-${fnv32a(name)}`, max);
}

/** Without half a character at the end. */
function firstBytes(text: string, bytes: number): string {
  const cut = new TextEncoder().encode(text).subarray(0, bytes);
  return new TextDecoder().decode(cut, { stream: true });
}

/** A part of a name ends with a letter or digit. */
function ending(start: string): string {
  return start.replace(/[-.]+$/, "");
}

/** The name of a Tuned in the hosted cluster, where Tuneds of all NodePools are in one namespace. */
export function hostedTunedName(tuned: string, nodePool: string): string {
  return `${tuned}-${fnv32a(nodePool)}`;
}

/** The name of a profile in the control plane namespace, where two NodePools may have profiles of one name. */
export function hashedProfileName(profile: string, nodePool: string): string {
  return joinedName(profile, fnv32a(nodePool), labelLimit);
}
