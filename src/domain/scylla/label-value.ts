import { hashOf } from "../../language/object/hash.ts";

const longest = 63;

/** A name as the value of a label, which is shorter than names of objects may be. */
export function labelValue(name: string): string {
  if (name.length <= longest) return name;
  const hash = hashOf(name);
  return `${name.slice(0, longest - hash.length - 1).replace(/[^a-z0-9]+$/i, "")}-${hash}`;
}
