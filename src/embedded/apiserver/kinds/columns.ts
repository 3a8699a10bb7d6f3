import { humanDuration } from "../../../language/object/time.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import type { Column } from "../resource.ts";

type Cell = Column["cell"];

export const stringColumn = (name: string, cell: Cell, priority = 0): Column => ({
  name,
  type: "string",
  priority,
  cell,
});

export const integerColumn = (name: string, cell: Cell, priority = 0): Column => ({
  name,
  type: "integer",
  priority,
  cell,
});

export const nameColumn: Column = {
  name: "Name",
  type: "string",
  format: "name",
  priority: 0,
  cell: (object) => object.metadata.name ?? "",
};

/** The age of a time in kubectl's short form: `5m`. */
export function since(time: unknown, now: number): string {
  if (typeof time !== "string" || time === "") return "<unknown>";
  return humanDuration(now - Date.parse(time));
}

export const ageColumn: Column = stringColumn("Age", (object, now) => since(object.metadata.creationTimestamp, now));

/** A cell that reads an object of a type of `kubernetes-types`. */
export const typed =
  <T>(cell: (object: T, now: number) => unknown): Cell =>
  (object: KubeObject, now: number) =>
    cell(object as unknown as T, now);

export const orNone = (text: string): string => (text === "" ? "<none>" : text);
