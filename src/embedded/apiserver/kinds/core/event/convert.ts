import type { KubeObject } from "../../../../../language/object/meta.ts";

/** Names of the same field in the two groups. */
const names: readonly (readonly [inCore: string, inGroup: string])[] = [
  ["message", "note"],
  ["involvedObject", "regarding"],
  ["source", "deprecatedSource"],
  ["firstTimestamp", "deprecatedFirstTimestamp"],
  ["lastTimestamp", "deprecatedLastTimestamp"],
  ["count", "deprecatedCount"],
  ["reportingComponent", "reportingController"],
];

const grouped = new Map(names);
const core = new Map(names.map(([inCore, inGroup]) => [inGroup, inCore]));
/** The core group writes these fields even if they are empty. */
const texts = ["reportingComponent", "reportingInstance"];

/** Converts an event of `events.k8s.io` to the core group, in which events are stored. */
export function toCoreEvent(event: KubeObject): KubeObject {
  const stored = renamed(event, core, "v1");
  for (const field of texts) stored[field] ??= "";
  return stored;
}

export function fromCoreEvent(stored: KubeObject): KubeObject {
  const shown = renamed(stored, grouped, "events.k8s.io/v1");
  for (const field of ["reportingController", "reportingInstance"]) if (shown[field] === "") delete shown[field];
  return shown;
}

function renamed(object: KubeObject, to: ReadonlyMap<string, string>, apiVersion: string): KubeObject {
  const fields = Object.entries(object).map(([name, value]) => [to.get(name) ?? name, value]);
  return { ...(Object.fromEntries(fields) as KubeObject), apiVersion };
}
