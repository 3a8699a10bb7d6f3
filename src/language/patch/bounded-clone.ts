import { PatchError } from "./patch-error.ts";

/** Deeper documents are rejected: functions that recurse over them would overflow the stack. */
export const MAX_DEPTH = 1_000;

export function tooDeep(): PatchError {
  return new PatchError("unprocessable", `nested more than ${MAX_DEPTH} levels deep`);
}

/** A deep copy. `depth` is the level of the document at which the copy is inserted. */
export function boundedClone<T>(value: T, depth = 0): T {
  if (typeof value !== "object" || value === null) return value;
  if (depth > MAX_DEPTH) throw tooDeep();
  if (Array.isArray(value)) {
    const copy: unknown[] = Array.from({ length: value.length });
    for (let i = 0; i < value.length; i++) copy[i] = boundedClone(value[i], depth + 1);
    return copy as T;
  }
  const copy = { ...value } as Record<string, unknown>;
  for (const key of Object.keys(copy)) {
    const child = copy[key];
    if (typeof child === "object" && child !== null) copy[key] = boundedClone(child, depth + 1);
  }
  return copy as T;
}
