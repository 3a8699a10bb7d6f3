import { readJson } from "../../../language/object/exact-json.ts";
import { beyondBounds } from "../../../language/object/json-bounds.ts";
import { collectErrors } from "../../../language/schema/collect-errors.ts";
import { type FieldError, invalid } from "../../../language/schema/field-error.ts";
import { pruneUnknown } from "../../../language/schema/prune.ts";
import type { Schema } from "../../../language/schema/schema.ts";
import { validateSchema } from "../../../language/schema/validate.ts";
import type { ConfigMap } from "../envelope/read-manifests.ts";

export type Read<T> =
  | { readonly type: "read"; readonly value: T }
  /** `ConfigMap a, key order: target.full: Required value` */
  | { readonly type: "problem"; readonly problem: string };

const bounds = { depth: 8, values: 100_000 } as const;
const errorLimit = { errors: 10, characters: 4096 } as const;

/** What a key of a ConfigMap says. Any client may have written it: all that is wrong is a problem, and nothing is guessed. */
export function readStrictly<T>({ metadata, data = {} }: ConfigMap, key: string, schema: Schema): Read<T> {
  const problem = (what: string): Read<T> => problemIn(metadata.name, key, what);
  const text = Object.hasOwn(data, key) ? data[key] : undefined;
  if (text === undefined) return problem("is missing");
  const beyond = beyondBounds(text, bounds);
  if (beyond !== undefined) return problem(beyond);
  let value: unknown;
  try {
    value = readJson(text);
  } catch (error) {
    if (error instanceof SyntaxError) return problem(`is not JSON: ${error.message}`);
    throw error;
  }
  const errors = collectErrors(() => errorsOf(value, schema), errorLimit);
  if (errors.length > 0) return problem(errors.map(({ field, message }) => `${field}: ${message}`).join("; "));
  return { type: "read", value: value as T };
}

export function problemIn<T>(configMap: string | undefined, key: string, what: string): Read<T> {
  return { type: "problem", problem: `ConfigMap ${configMap ?? ""}, key ${key}: ${what}` };
}

function errorsOf(value: unknown, schema: Schema): FieldError[] {
  const shape = validateSchema(value, schema);
  if (shape.length > 0) return shape;
  return pruneUnknown(value, schema).map((field) => invalid(field, undefined, "unknown field"));
}
