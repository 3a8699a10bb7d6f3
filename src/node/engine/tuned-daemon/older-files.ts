import type { ResolvedProfile } from "../../../language/tuned/resolve.ts";
import { newestVersion } from "./capabilities.ts";

/**
 * TuneD before 2.28 changes other files for these plug-ins than the version whose ways the native ones know. Whole files are
 * kept of them; whether TuneD did its part can only be read from its log.
 */
const filesByType: ReadonlyMap<string, readonly string[]> = new Map([
  ["systemd", ["/etc/systemd/system.conf"]],
  ["irqbalance", ["/etc/default/irqbalance", "/etc/sysconfig/irqbalance"]],
]);

export function hasOlderWays(type: string, version: string | undefined): boolean {
  return isOlder(version) && filesByType.has(type);
}

export function olderFiles({ units }: ResolvedProfile, version: string | undefined): string[] {
  if (!isOlder(version)) return [];
  const types = new Set(units.flatMap(({ type, enabled, unmet }) => (enabled && unmet === undefined ? [type] : [])));
  return [...filesByType].flatMap(([type, files]) => (types.has(type) ? files : []));
}

export function isOlder(version: string | undefined): boolean {
  return version !== undefined && compareVersion(version, newestVersion) < 0;
}

export function compareVersion(version: string, [major, minor]: readonly [number, number]): number {
  const [ofMajor = 0, ofMinor = 0] = version.split(".").map(Number);
  return ofMajor - major || ofMinor - minor;
}
