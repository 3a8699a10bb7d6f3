import { readToml, tableIn, type TomlTable, type TomlValue } from "../../../language/ignition/toml.ts";
import { writeToml } from "../../../language/ignition/write-toml.ts";
import type { Mirrors } from "./mirrored-sources.ts";

export type RegistriesText =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "problem"; readonly message: string };

/** registries.conf with these mirrors, and otherwise what the present text says. */
export function registriesText(present: string, mirrors: readonly Mirrors[]): RegistriesText {
  const toml = readToml(present);
  if (toml.type === "problem") return toml;
  const { root } = toml;
  // containers/image refuses a file in both formats.
  if (root.has("registries")) return { type: "problem", message: "is of version 1: write [[registry]] tables" };
  const known = root.get("registry") ?? [];
  if (!Array.isArray(known)) return { type: "problem", message: "registry is no list of tables: write [[registry]]" };
  const tables = known.map((one: TomlValue) => tableIn(one));
  const added = mirrors.flatMap((one) => {
    const table = tables.find((registry) => keyOf(registry) === one.source) ?? newRegistry(one.source);
    addMirrors(table, one);
    return tables.includes(table) ? [] : [table];
  });
  root.set("registry", [...tables, ...added]);
  return { type: "text", text: writeToml(root) };
}

function keyOf(registry: TomlTable): string {
  return textAt(registry, "prefix") || textAt(registry, "location");
}

/** A pattern has no location: the host that it matches is replaced by that of the mirror. */
function newRegistry(source: string): TomlTable {
  return new Map([[source.startsWith("*.") ? "prefix" : "location", source]]);
}

function addMirrors(registry: TomlTable, { locations, neverContact }: Mirrors): void {
  if (neverContact) registry.set("blocked", true);
  const given = registry.get("mirror");
  const present = Array.isArray(given) ? given.map((one: TomlValue) => tableIn(one)) : [];
  const known = new Set(present.map((mirror) => textAt(mirror, "location")));
  // With the flag for all mirrors, containers/image refuses one of its own for each.
  const pull: [string, TomlValue][] =
    registry.get("mirror-by-digest-only") === true ? [] : [["pull-from-mirror", "digest-only"]];
  const added = locations
    .filter((location) => !known.has(location))
    .map((location): TomlTable => new Map<string, TomlValue>([["location", location], ...pull]));
  if (present.length + added.length > 0) registry.set("mirror", [...present, ...added]);
}

function textAt(table: TomlTable, name: string): string {
  const value = table.get(name);
  return typeof value === "string" ? value : "";
}
