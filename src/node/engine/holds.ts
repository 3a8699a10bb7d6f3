import { isSameValue } from "../../language/tuned/value.ts";
import type { Observe } from "./plugin.ts";

/**
 * Whether what was found is what is wanted. TuneD verifies `a | b` as either of them and nothing as 0; to apply, these are
 * different texts: `|/bin/x` is not `/bin/x`.
 */
export function holds(wanted: string, found: string, { purpose }: Pick<Observe, "purpose">): boolean {
  if (wanted === found) return true;
  if (purpose === "apply" && (wanted.includes("|") || wanted.trim() === "" || found.trim() === "")) return false;
  return isSameValue(wanted, found);
}
