import type { KubeObject, ListMeta } from "../../object/meta.ts";
import type { Column, Resource } from "../resource.ts";
import { partialMetadata, type PartialObjectMetadata } from "./partial-metadata.ts";

/** How much of each object comes along with its row; `Metadata` unless the client says otherwise. */
export type IncludeObject = "None" | "Metadata" | "Object";

export interface Table {
  kind: "Table";
  apiVersion: "meta.k8s.io/v1";
  metadata: ListMeta;
  /** Null in every event of a watch but the first: the client has seen them. */
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
  /** Of the list; for one object its own resourceVersion. */
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
  readonly resource: Pick<Resource, "columns">;
  readonly object: KubeObject;
  readonly includeObject: IncludeObject;
  readonly now: number;
  readonly isFirst: boolean;
  /** A bookmark has no object to print, but its metadata carries what it marks, whatever `includeObject` says. */
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
        ? { cells: resource.columns.map(() => null), object: partialMetadata(object) }
        : toRow(resource.columns, object, includeObject, now),
    ],
  };
}

function toDefinition({ name, type, format = "", description = "", priority }: Column): ColumnDefinition {
  return { name, type, format, description, priority };
}

function toRow(columns: readonly Column[], object: KubeObject, include: IncludeObject, now: number): TableRow {
  const cells = columns.map((column) => column.cell(object, now) ?? null);
  if (include === "None") return { cells, object: null };
  return { cells, object: include === "Metadata" ? partialMetadata(object) : object };
}
