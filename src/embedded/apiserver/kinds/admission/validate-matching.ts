import {
  invalid,
  notSupported,
  required,
  type FieldError,
  duplicate,
  tooMany,
} from "../../../../language/schema/field-error.ts";
import type { Rule } from "../../admission/match/rules.ts";
import { qualifiedName } from "../../../../language/object/names.ts";
import { compileAbout, type Environment } from "../../admission/expressions/environment.ts";
import type { MatchCondition } from "../../admission/expressions/match-conditions.ts";

const operations = ["*", "CONNECT", "CREATE", "DELETE", "UPDATE"];
const scopes = ["*", "Cluster", "Namespaced"];

/** `RuleWithOperations`: the requests that a webhook or policy applies to. */
export function validateRule(rule: Rule, path: string): FieldError[] {
  const errors = validateList(rule.operations, `${path}.operations`, "operations");
  for (const [i, operation] of (rule.operations ?? []).entries())
    if (!operations.includes(operation)) errors.push(notSupported(`${path}.operations[${i}]`, operation, operations));
  // An empty string is valid: the core group.
  errors.push(...validateList(rule.apiGroups, `${path}.apiGroups`, "API groups"));
  errors.push(...validateList(rule.apiVersions, `${path}.apiVersions`, "API versions"));
  for (const [i, version] of (rule.apiVersions ?? []).entries())
    if (version === "") errors.push(required(`${path}.apiVersions[${i}]`));
  errors.push(...validateResources(rule.resources ?? [], `${path}.resources`));
  if (rule.scope !== undefined && !scopes.includes(rule.scope))
    errors.push(notSupported(`${path}.scope`, rule.scope, scopes));
  return errors;
}

function validateList(items: readonly string[] = [], path: string, what: string): FieldError[] {
  if (items.length === 0) return [required(path)];
  if (items.length === 1 || !items.includes("*")) return [];
  return [invalid(path, items, `if '*' is present, must not specify other ${what}`)];
}

/** `pods`, `pods/status`, `pods/*`: an entry must not repeat what a wildcard includes. */
function validateResources(resources: readonly string[], path: string): FieldError[] {
  if (resources.length === 0) return [required(path)];
  const errors: FieldError[] = [];
  const allParts = new Set<string>();
  const allResources = new Set<string>();
  let plainNames = false;
  for (const [i, resource] of resources.entries()) {
    const at = `${path}[${i}]`;
    if (resource === "") {
      errors.push(required(at));
      continue;
    }
    const slash = resource.indexOf("/");
    if (slash < 0) {
      plainNames = resource !== "*";
      continue;
    }
    const [main, part] = [resource.slice(0, slash), resource.slice(slash + 1)];
    if (allParts.has(main))
      errors.push(invalid(at, resource, `if '${main}/*' is present, must not specify ${resource}`));
    if (allResources.has(part))
      errors.push(invalid(at, resource, `if '*/${part}' is present, must not specify ${resource}`));
    if (part === "*") allParts.add(main);
    if (main === "*") allResources.add(part);
  }
  if (resources.length > 1 && resources.includes("*/*"))
    errors.push(invalid(path, resources, "if '*/*' is present, must not specify other resources"));
  if (plainNames && resources.includes("*"))
    errors.push(invalid(path, resources, "if '*' is present, must not specify other resources without subresources"));
  return errors;
}

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
