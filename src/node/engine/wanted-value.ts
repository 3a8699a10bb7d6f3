import { assign, isSameValue } from "../../language/tuned/value.ts";
import type { Observe } from "./plugin.ts";

/**
 * The value to write for `>N`, `<N` or a plain value. To apply, it is compared with the original, so that applying twice
 * changes nothing; to verify, with the current value.
 */
export function wantedValue(value: string, target: string, before: string, observe: Observe): string {
  const current = observe.purpose === "verify" ? before : (observe.original(target) ?? before);
  const assigned = assign(value, current);
  return assigned.type === "keep" ? current.trim() : assigned.value;
}

/**
 * Whether the found value needs no change. TuneD verifies `a | b` as either of them, and an empty text as 0; to apply,
 * these are different texts: `|/bin/x` is not `/bin/x`.
 */
export function isAsWanted(wanted: string, found: string, { purpose }: Pick<Observe, "purpose">): boolean {
  if (wanted === found) return true;
  if (purpose === "apply" && (wanted.includes("|") || wanted.trim() === "" || found.trim() === "")) return false;
  return isSameValue(wanted, found);
}
