import { equal } from "../../../language/object/json.ts";
import { compileRules } from "../../../language/schema/validate-rules.ts";
import { DefaultsTooLargeError } from "../../../language/schema/defaults.ts";
import { TooDeepError } from "../../../language/schema/depth.ts";
import { invalid, type FieldError } from "../../../language/schema/field-error.ts";
import type { Schema } from "../../../language/schema/schema.ts";
import { checkStructural } from "../../../language/schema/structural.ts";

/** Faults of one version's schema. One that was accepted before and has not changed is not judged again. */
export function validateSchemaOf(schema: Schema, path: string, before: Schema | undefined): FieldError[] {
  if (before && equal(schema, before)) return [];
  try {
    const errors = checkStructural(schema, path);
    // Rules are typed by the schema: one that is not structural says nothing of their types.
    return errors.length > 0 ? errors : (compileRules(schema, path).errors ?? []);
  } catch (error) {
    if (error instanceof TooDeepError || error instanceof DefaultsTooLargeError)
      return [invalid(path, "", error.message)];
    throw error;
  }
}
