import { get, isObject } from "../object/json.ts";
import { type FieldError, typeInvalid } from "../schema/field-error.ts";
import { child, index } from "../schema/path.ts";
import type { ObjectShape, Shape } from "./shape.ts";

/** The known fields of a value, without nulls. Adds a problem for each value of another type, which is left out. */
export function readShape(shape: Shape, value: unknown, field: string, problems: FieldError[]): unknown {
  switch (shape.type) {
    case "object":
      return isObject(value) ? fields(shape, value, field, problems) : wrong("an object");
    case "list":
      if (!Array.isArray(value)) return wrong("a list");
      return value.flatMap((item, position) => {
        const read = readShape(shape.items, item, index(field, position), problems);
        return read === undefined ? [] : [read];
      });
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

function fields(shape: ObjectShape, value: object, field: string, problems: FieldError[]): object {
  const read: Record<string, unknown> = {};
  for (const name of Object.keys(shape.fields)) {
    const item = get(value, name);
    if (item === undefined || item === null) continue;
    const inner = shape.fields[name];
    const known = inner && readShape(inner, item, child(field, name), problems);
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
