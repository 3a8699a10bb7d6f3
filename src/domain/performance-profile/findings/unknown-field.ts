import { isObject } from "../../../language/object/json.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { child, index, key } from "../../../language/schema/path.ts";
import type { Schema } from "../../../language/schema/schema.ts";
import { schemas } from "../schemas.ts";
import { advice, type Check } from "./check.ts";

/** Checked even if the profile is invalid: a misspelt field is often why another is missing. */
export const unknownField: Check<KubeObject> = {
  name: "UnknownField",
  severity: "warning",
  faults: (profile) =>
    unknownFields(profile, schemas.v2, "").map(({ field, similar }) =>
      advice(
        field,
        similar
          ? `is not a field of a PerformanceProfile and is ignored: write ${similar}`
          : "is not a field of a PerformanceProfile and is ignored",
      ),
    ),
};

interface Unknown {
  readonly field: string;
  /** A known field that differs only in case. */
  readonly similar?: string;
}

/** Goes no deeper than the schema. */
function unknownFields(value: unknown, { items, properties }: Schema, path: string): Unknown[] {
  if (Array.isArray(value))
    return items ? value.flatMap((item, position) => unknownFields(item, items, index(path, position))) : [];
  if (!isObject(value) || !properties) return [];
  return Object.entries(value).flatMap(([name, item]) => {
    const field = /^\w+$/.test(name) ? child(path, name) : key(path, name);
    const known = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (known) return unknownFields(item, known, field);
    const similar = Object.keys(properties).find((other) => other.toLowerCase() === name.toLowerCase());
    return [similar === undefined ? { field } : { field, similar }];
  });
}
