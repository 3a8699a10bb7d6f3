import type { KubeObject, ListMeta } from "../../../language/object/meta.ts";
import { zeroObject } from "../../../language/patch/managed-fields.ts";
import type { Column, Resource } from "../resource.ts";
import { partialMetadata, type PartialObjectMetadata } from "./partial-metadata.ts";

/** How much of each object its row contains. Default `Metadata`. */
export type IncludeObject = "None" | "Metadata" | "Object";

export interface Table {
  kind: "Table";
  apiVersion: "meta.k8s.io/v1";
  metadata: ListMeta;
  /** Null in every watch event but the first. */
  columnDefinitions: ColumnDefinition[] | null;
  rows: TableRow[];
}

interface ColumnDefinition {
  name: string;
  type: string;
  format: string;
  description: string;
  priority: number;
}

interface TableRow {
  cells: unknown[];
  object: PartialObjectMetadata | KubeObject | null;
}

export interface TableInput {
  readonly resource: Pick<Resource, "columns">;
  readonly objects: readonly KubeObject[];
  /** Of the list; for a single object, its own resourceVersion. */
  readonly listMeta: ListMeta;
  readonly includeObject: IncludeObject;
  readonly now: number;
}

/** Objects as `kubectl get` prints them. */
export function toTable({ resource, objects, listMeta, includeObject, now }: TableInput): Table {
  return {
    kind: "Table",
    apiVersion: "meta.k8s.io/v1",
    metadata: listMeta,
    columnDefinitions: resource.columns.map(toDefinition),
    rows: objects.map((object) => toRow(resource.columns, object, includeObject, now)),
  };
}

export interface TableEventInput {
  readonly resource: Pick<Resource, "columns" | "origin" | "schema">;
  readonly object: KubeObject;
  readonly includeObject: IncludeObject;
  readonly now: number;
  readonly isFirst: boolean;
  /** A bookmark is printed as an empty object; the row always contains its metadata, which hold the resourceVersion. */
  readonly isBookmark?: boolean;
}

/** One event of a watch as a table of one row. */
export function toTableEvent(input: TableEventInput): Table {
  const { resource, object, includeObject, now, isFirst, isBookmark = false } = input;
  const { resourceVersion } = object.metadata;
  return {
    kind: "Table",
    apiVersion: "meta.k8s.io/v1",
    metadata: resourceVersion === undefined ? {} : { resourceVersion },
    columnDefinitions: isFirst ? resource.columns.map(toDefinition) : null,
    rows: [
      isBookmark
        ? bookmarkRow(resource, object, includeObject, now)
        : toRow(resource.columns, object, includeObject, now),
    ],
  };
}

/** What kube-apiserver prints for an empty object. No client shows it. */
function bookmarkRow(
  { columns, origin, schema }: TableEventInput["resource"],
  bare: KubeObject,
  include: IncludeObject,
  now: number,
): TableRow {
  const object = origin === "builtin" ? { ...zeroObject(schema), ...bare } : bare;
  const cells = columns.map(({ cell, type, format }) => {
    try {
      return cell(object, now) ?? (origin === "builtin" || format === "name" ? nothing[type] : null);
    } catch {
      // Columns expect a valid object.
      return nothing[type];
    }
  });
  return { cells, object: include === "Object" ? bare : partialMetadata(bare) };
}

const nothing: Readonly<Record<Column["type"], unknown>> = {
  string: "",
  integer: 0,
  number: 0,
  boolean: false,
  date: "0001-01-01T00:00:00Z",
};

function toDefinition({ name, type, format = "", description = "", priority }: Column): ColumnDefinition {
  return { name, type, format, description, priority };
}

function toRow(columns: readonly Column[], object: KubeObject, include: IncludeObject, now: number): TableRow {
  const cells = columns.map((column) => column.cell(object, now) ?? null);
  if (include === "None") return { cells, object: null };
  return { cells, object: include === "Metadata" ? partialMetadata(object) : object };
}
