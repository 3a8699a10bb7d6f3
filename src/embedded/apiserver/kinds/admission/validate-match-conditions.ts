import { qualifiedName } from "../../../../language/object/names.ts";
import { duplicate, invalid, required, tooMany, type FieldError } from "../../../../language/schema/field-error.ts";
import { compileAbout, type Environment } from "../../admission/expressions/environment.ts";
import type { MatchCondition } from "../../admission/expressions/match-conditions.ts";

const maxConditions = 64;

/** `matchConditions` of a webhook or policy. */
export function validateMatchConditions(
  conditions: readonly MatchCondition[],
  path: string,
  environment: Environment = { authorizer: true },
): FieldError[] {
  const errors: FieldError[] = [];
  if (conditions.length > maxConditions) errors.push(tooMany(path, conditions.length, maxConditions));
  const names = new Set<string>();
  for (const [i, { name, expression }] of conditions.entries()) {
    errors.push(...validateExpression(expression.trim(), `${path}[${i}].expression`, environment));
    if (!name) errors.push(required(`${path}[${i}].name`));
    for (const reason of name ? qualifiedName(name) : []) errors.push(invalid(`${path}[${i}].name`, name, reason));
    if (name && names.has(name)) errors.push(duplicate(`${path}[${i}].name`, name));
    names.add(name);
  }
  return errors;
}

function validateExpression(source: string, path: string, environment: Environment): FieldError[] {
  if (source === "") return [required(path)];
  const outcome = compileAbout(source, environment, "bool");
  return outcome.type === "fault" ? [invalid(path, source, outcome.detail)] : [];
}
