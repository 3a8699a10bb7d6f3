import { dnsSubdomain } from "../../../language/object/names.ts";
import type { Column, Resource, StoredAs, Strategy, Subresource, Verb } from "../resource.ts";
import { definitionOf } from "./definitions.ts";

/** The definition of a built-in kind; `defineKind` derives the rest of its `Resource`. */
export interface KindTable {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly verbs?: readonly Verb[];
  readonly storedAs?: StoredAs;
  readonly selectableFields?: Resource["selectableFields"];
  readonly columns: readonly Column[];
  readonly strategy: Strategy;
  readonly subresources?: Readonly<Record<string, Subresource>>;
}

const everyVerb: readonly Verb[] = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];

export function defineKind(table: KindTable): Resource {
  return {
    listKind: `${table.kind}List`,
    singular: table.kind.toLowerCase(),
    shortNames: [],
    categories: [],
    verbs: everyVerb,
    selectableFields: {},
    subresources: {},
    ...table,
    strategy: { validateName: dnsSubdomain, ...table.strategy },
    storageVersion: table.version,
    origin: "builtin",
    // A getter, so that a schema is linked on first use and not when the server starts.
    get schema() {
      return definitionOf(table.group, table.version, table.kind);
    },
  };
}
