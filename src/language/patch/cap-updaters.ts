import { EMPTY, union } from "./field/field-set.ts";
import { compareTexts, identityOf, seconds } from "./managed-entries.ts";
import type { Owners } from "./managed-entries.ts";

const MAX_UPDATERS = 10;

/**
 * Every client name that ever updated an object leaves an entry. Beyond ten, the oldest of each version are merged
 * into one, owned by `ancient-changes`.
 */
export function capUpdaters(owners: Owners): Owners {
  const updaters = [...owners].filter(([, owner]) => owner.operation === "Update");
  if (updaters.length <= MAX_UPDATERS) return owners;
  updaters.sort(([a, { time: timeA }], [b, { time: timeB }]) => seconds(timeA) - seconds(timeB) || compareTexts(a, b));
  let excess = updaters.length - MAX_UPDATERS;
  const firstOfVersion = new Map<string, string>();
  for (const [identity, owner] of updaters) {
    if (excess === 0) break;
    const first = firstOfVersion.get(owner.apiVersion);
    if (first === undefined) {
      firstOfVersion.set(owner.apiVersion, identity);
      continue;
    }
    const bucket = {
      manager: "ancient-changes",
      operation: "Update",
      apiVersion: owner.apiVersion,
      subresource: "",
    } as const;
    const into = identityOf(bucket);
    const merged = owners.get(into) ?? owners.get(first);
    if (!owners.has(into)) owners.delete(first);
    owners.delete(identity);
    owners.set(into, { ...bucket, time: owner.time, fields: union(merged?.fields ?? EMPTY, owner.fields) });
    excess--;
  }
  return owners;
}
