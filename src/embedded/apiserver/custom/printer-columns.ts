import { canonical, isObject } from "../../../language/object/json.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { humanDuration, parseTime } from "../../../language/object/time.ts";
import type { Column } from "../resource.ts";
import type { PrinterColumn } from "./definition.ts";
import { evaluate, parseJsonPath, type JsonPath } from "./json-path.ts";

export const nameColumn: Column = {
  name: "Name",
  type: "string",
  format: "name",
  description: "The object's name, unique among those of its kind in a namespace.",
  priority: 0,
  cell: (object) => object.metadata.name ?? "",
};

const AGE: PrinterColumn = {
  name: "Age",
  type: "date",
  jsonPath: ".metadata.creationTimestamp",
  description: "How long ago the object was created.",
};

/** The columns of a custom kind: name, then additionalPrinterColumns, or age if there are none. */
export function columnsOf(printerColumns: readonly PrinterColumn[] = []): Column[] {
  const columns = [nameColumn];
  for (const column of printerColumns.length > 0 ? printerColumns : [AGE]) {
    const path = parseJsonPath(column.jsonPath);
    // As kube-apiserver: an invalid path hides its column and those after it.
    if (!path) break;
    columns.push({
      name: column.name,
      type: column.type,
      ...(column.format ? { format: column.format } : {}),
      description: column.description || `Custom resource definition column (in JSONPath format): ${column.jsonPath}`,
      priority: column.priority ?? 0,
      cell: cellOf(column.type, path),
    });
  }
  return columns;
}

function cellOf(type: Column["type"], path: JsonPath): Column["cell"] {
  const render = RENDERERS[type];
  return (object: KubeObject, now: number) => {
    const value = evaluate(path, object)[0];
    return value === undefined || value === null ? null : render(value, now);
  };
}

const RENDERERS: Record<Column["type"], (value: unknown, now: number) => unknown> = {
  string: (value) => (isObject(value) || Array.isArray(value) ? canonical(value) : String(value)),
  integer: (value) => (typeof value === "number" ? Math.trunc(value) : typeof value === "bigint" ? value : null),
  number: (value) => (typeof value === "number" || typeof value === "bigint" ? Number(value) : null),
  boolean: (value) => (typeof value === "boolean" ? value : null),
  date: (value, now) => {
    if (typeof value !== "string") return null;
    if (value === "") return "<unknown>";
    const time = parseTime(value);
    return time === undefined ? "<invalid>" : humanDuration(now - time);
  },
};
