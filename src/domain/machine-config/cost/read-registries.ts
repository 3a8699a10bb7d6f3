import { readToml, tableIn, type TomlTable, type TomlValue } from "../../../language/ignition/toml.ts";

/** registries.conf, version 2. */
export type Registries =
  | { readonly type: "registries"; readonly search: readonly string[]; readonly registries: readonly Registry[] }
  | { readonly type: "problem"; readonly message: string };

export interface Registry {
  readonly prefix: string;
  readonly location: string;
  readonly blocked: boolean;
  readonly insecure: boolean;
  /** `mirror-by-digest-only` */
  readonly digestOnly: boolean;
  readonly mirrors: readonly Mirror[];
}

export interface Mirror {
  readonly location: string;
  /** `pull-from-mirror`; empty where it is not given. */
  readonly pull: string;
}

/** As far as it decides where images come from: other tables, such as aliases, do not. */
export function readRegistries(text: string): Registries {
  const toml = readToml(text);
  if (toml.type === "problem") return toml;
  const { root } = toml;
  const search = root.get("unqualified-search-registries");
  return {
    type: "registries",
    search: Array.isArray(search) ? search.map(String) : [],
    registries: tablesIn(root.get("registry")).map((table) => ({
      prefix: textIn(table, "prefix"),
      location: textIn(table, "location"),
      blocked: table.get("blocked") === true,
      insecure: table.get("insecure") === true,
      digestOnly: table.get("mirror-by-digest-only") === true,
      mirrors: tablesIn(table.get("mirror")).map((mirror) => ({
        location: textIn(mirror, "location"),
        pull: textIn(mirror, "pull-from-mirror"),
      })),
    })),
  };
}

function tablesIn(value: TomlValue | undefined): TomlTable[] {
  return Array.isArray(value) ? value.map((item: TomlValue) => tableIn(item)) : [];
}

function textIn(table: TomlTable, name: string): string {
  const value = table.get(name) ?? "";
  return typeof value === "object" ? "" : String(value);
}
