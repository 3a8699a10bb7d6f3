import { get, isObject } from "../object/json.ts";
import { type FieldError, typeInvalid } from "../schema/field-error.ts";
import { child, index } from "../schema/path.ts";
import type { ListShape, ObjectShape, Shape } from "./shape.ts";

/** The known fields of a value, without nulls. Adds a problem for each value of another type, which is left out. */
export function readShape(shape: Shape, value: unknown, field: string, problems: FieldError[]): unknown {
  switch (shape.type) {
    case "object":
      return isObject(value) ? fields(shape, value, field, problems) : wrong("an object");
    case "list":
      if (!Array.isArray(value)) return wrong("a list");
      return items(shape, value, field, problems);
    case "text":
      return typeof value === "string" ? value : wrong("a string");
    case "flag":
      return typeof value === "boolean" ? value : wrong("true or false");
    case "integer":
      return Number.isSafeInteger(value) ? value : wrong("an integer");
  }

  function wrong(wanted: string): undefined {
    problems.push(typeInvalid(field, shown(value), `must be ${wanted}`));
  }
}

function items(shape: ListShape, values: readonly unknown[], field: string, problems: FieldError[]): unknown[] {
  const read: unknown[] = [];
  for (const [position, value] of values.entries()) {
    const known = readShape(shape.items, value, index(field, position), problems);
    if (known !== undefined) read.push(known);
  }
  return read;
}

function fields(shape: ObjectShape, value: object, field: string, problems: FieldError[]): object {
  const read: Record<string, unknown> = {};
  // The names of the value, which are few: most fields of a shape are rarely used.
  for (const name of Object.keys(value)) {
    const item = get(value, name);
    const inner = Object.hasOwn(shape.fields, name) ? shape.fields[name] : undefined;
    if (!inner || item === undefined || item === null) continue;
    const known = readShape(inner, item, child(field, name), problems);
    if (known !== undefined) read[name] = known;
  }
  return read;
}

/** Short: whole sections may stand where a text belongs. */
function shown(value: unknown): unknown {
  if (Array.isArray(value)) return "a list";
  return isObject(value) ? "an object" : shortened(value);
}

/** A value for a message. */
export function shortened(value: unknown): unknown {
  return typeof value === "string" && value.length > 80 ? `${value.slice(0, 80)}…` : value;
}
