import { readJson } from "../../language/object/exact-json.ts";
import { isObject } from "../../language/object/json.ts";
import type { ObjectMeta } from "../../language/object/meta.ts";
import type { NamedSource } from "./merge-sources.ts";
import { originsAnnotation } from "./rendered-annotations.ts";

/** MachineConfigs by what a rendered config has of them, in the words in which agents name it: `storage.files /etc/a`. */
export type Origins = ReadonlyMap<string, readonly string[]>;

/** Sources in merge order. Of two with one file the last wins; a unit, a user and the arguments may have parts of several. */
export function originsOf(sources: readonly NamedSource[]): Origins {
  const origins = new Map<string, readonly string[]>();
  for (const { machineConfig, source } of sources) {
    const { name = "" } = machineConfig.metadata;
    const add = (place: string): unknown => origins.set(place, [...(origins.get(place) ?? []), name]);
    const { storage = {}, systemd, passwd } = source.document ?? {};
    for (const kind of ["directories", "files", "links"] as const)
      for (const { path = "" } of storage[kind] ?? []) origins.set(`storage.${kind} ${path}`, [name]);
    for (const unit of systemd?.units ?? []) add(`systemd.units ${unit.name}`);
    for (const user of passwd?.users ?? []) add(`passwd.users ${user.name}`);
    if (source.kernelArguments?.length) add("kernelArguments");
  }
  return origins;
}

/** An annotation must leave room for others: those of an object have 256 KiB. */
export const mostOriginsText = 65_536;

/** For the annotation. Undefined: too many to store. */
export function originsText(origins: Origins): string | undefined {
  const places: Record<string, string[]> = {};
  for (const [place, names] of origins) for (const name of names) (places[name] ??= []).push(place);
  const text = JSON.stringify(places);
  return text.length > mostOriginsText ? undefined : text;
}

/** Of a rendered config. Empty where another operator rendered it. */
export function readOrigins({ annotations }: Pick<ObjectMeta, "annotations">): Origins {
  const origins = new Map<string, string[]>();
  for (const [name, places] of Object.entries(placesIn(annotations?.[originsAnnotation] ?? "{}")))
    for (const place of Array.isArray(places) ? places.map(String) : [])
      origins.set(place, [...(origins.get(place) ?? []), name]);
  return origins;
}

function placesIn(text: string): Record<string, unknown> {
  try {
    const value = readJson(text);
    return isObject(value) ? value : {};
  } catch (error) {
    // Any client may have written it, and a report does without it.
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}

/** A problem with the MachineConfigs that the part of the config came from, which its text begins with. */
export function withOrigin(problem: string, origins: Origins): string {
  const places = [...origins.keys()].filter((one) => problem.startsWith(`${one}:`) || problem.startsWith(`${one} `));
  const [place] = places.toSorted((a, b) => b.length - a.length);
  const names = (origins.get(place ?? "") ?? []).toSorted();
  return names.length === 0 ? problem : `${problem} (MachineConfig ${names.join(", ")})`;
}
