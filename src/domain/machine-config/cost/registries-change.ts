import { readRegistries, type Mirror, type Registry } from "./read-registries.ts";

export type SafeChange =
  | { readonly type: "change"; readonly safe: boolean }
  | { readonly type: "problem"; readonly message: string };

/**
 * Whether containers that run can be left running: no image that they may pull again comes from elsewhere. The search list
 * may only grow at its end, and new mirrors may only serve images by digest.
 */
export function isSafeRegistriesChange(before: string, after: string): SafeChange {
  const [old, wanted] = [readRegistries(before), readRegistries(after)];
  if (old.type === "problem") return { ...old, message: `the present text: ${old.message}` };
  if (wanted.type === "problem") return wanted;
  const isSearchKept = old.search.every((name, index) => wanted.search[index] === name);
  const registries = new Map(wanted.registries.map((one) => [keyOf(one), one]));
  const known = new Set(old.registries.map(keyOf));
  const isKept = old.registries.every((one) => {
    const now = registries.get(keyOf(one));
    return now !== undefined && isSafeRegistry(one, now);
  });
  const areNewSafe = wanted.registries
    .filter((one) => !known.has(keyOf(one)))
    .every((one) => one.mirrors.length > 0 && one.mirrors.every((mirror) => isByDigest(mirror, one)));
  return { type: "change", safe: isSearchKept && isKept && areNewSafe };
}

function keyOf({ prefix, location }: Registry): string {
  return prefix || location;
}

function isSafeRegistry(old: Registry, now: Registry): boolean {
  if (old.prefix !== now.prefix || old.location !== now.location) return false;
  if (old.blocked !== now.blocked || old.insecure !== now.insecure) return false;
  return now.mirrors.every((mirror) => {
    const before = old.mirrors.find(({ location }) => location === mirror.location);
    return isByDigest(mirror, now) || (before !== undefined && !isByDigest(before, old) && before.pull === mirror.pull);
  });
}

function isByDigest({ pull }: Mirror, { digestOnly }: Registry): boolean {
  return pull === "digest-only" || (pull === "" && digestOnly);
}
