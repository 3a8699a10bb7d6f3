import { matchesGlob } from "./glob.ts";

/**
 * Whether a unit's `devices` names this device: blanks and commas separate, `!` excludes, and where nothing is included
 * everything is.
 */
export function matchesDevices(devices: string, device: string): boolean {
  const words = devices.split(/\s|,/).filter((word) => word !== "");
  const excluded = words.filter((word) => word.startsWith("!"));
  const included = words.filter((word) => !word.startsWith("!"));
  if (excluded.some((word) => matchesGlob(word.slice(1), device))) return false;
  return included.length === 0 || included.some((word) => matchesGlob(word, device));
}
