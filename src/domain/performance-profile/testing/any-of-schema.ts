import * as fc from "fast-check";
import type { Schema } from "../../../language/schema/schema.ts";

/** Values that a schema allows, with any optional fields left out. */
export function anyOf(schema: Schema): fc.Arbitrary<unknown> {
  switch (schema.type) {
    case "boolean":
      return fc.boolean();
    case "integer":
      return fc.integer({ min: -3, max: 4096 });
    case "array":
      return fc.array(anyOf(schema.items ?? {}), { maxLength: 3 });
    case "object": {
      const { properties, additionalProperties, required = [] } = schema;
      if (typeof additionalProperties === "object") return fc.dictionary(name, anyOf(additionalProperties));
      const fields = Object.entries(properties ?? {}).map(([key, value]) => [key, anyOf(value)] as const);
      return fc.record(Object.fromEntries(fields), { requiredKeys: required });
    }
    default:
      return schema.format === "date-time" ? fc.constant("2026-01-01T00:00:00Z") : fc.string({ maxLength: 8 });
  }
}

const name = fc.oneof(fc.string({ maxLength: 6 }), fc.constantFrom("__proto__", "constructor", "a.io/role"));
