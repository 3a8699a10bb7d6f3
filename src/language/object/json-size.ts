import { byteLength } from "./byte-length.ts";

/** Characters that JSON escapes, or that UTF-8 writes as several bytes. */
// eslint-disable-next-line no-control-regex
const unlikeText = /["\\\u0000-\u001f\u007f-\uffff]/;

/**
 * The size of a value's JSON in bytes, without making it. `isPlain` may name texts that need no escapes, so that they are not
 * searched for them.
 */
export function jsonSize(value: unknown, isPlain: (text: string) => boolean = () => false): number {
  if (typeof value === "string")
    return !isPlain(value) && unlikeText.test(value) ? byteLength(JSON.stringify(value)) : value.length + '""'.length;
  if (typeof value !== "object" || value === null) return byteLength(JSON.stringify(value) ?? "null");
  let size = "{}".length;
  let parts = 0;
  if (Array.isArray(value))
    for (const item of value) {
      size += jsonSize(item, isPlain);
      parts++;
    }
  else
    for (const name of Object.keys(value)) {
      const item = (value as Record<string, unknown>)[name];
      if (item === undefined) continue;
      size += jsonSize(name, isPlain) + ":".length + jsonSize(item, isPlain);
      parts++;
    }
  return size + Math.max(0, parts - 1);
}
