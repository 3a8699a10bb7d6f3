import { isObject } from "../object/json.ts";
import { CostError, type CostBudget, totalCostLimit } from "./cel/frame.ts";
import { type Shape, shapeOf } from "./cel/shape.ts";
import { EvaluationError, none, OptionalValue, type Value } from "./cel/value.ts";
import { checkDepth } from "./depth.ts";
import { duplicate, type FieldError, forbidden, invalid, required } from "./field-error.ts";
import { keysOf } from "./list-type.ts";
import { canonical } from "../object/json.ts";
import { child, index, key } from "./path.ts";
import { type CompiledRule, compileRule } from "./rule.ts";
import type { Schema } from "./schema.ts";

/** The part of a schema that has rules, at it or below it. */
export interface CompiledRules {
  readonly errors?: undefined;
  /** Undefined where no rule stands anywhere: there is nothing to run. */
  readonly root: RuleNode | undefined;
}

interface RuleNode {
  readonly schema: Schema;
  readonly shape: Shape | undefined;
  readonly rules: readonly CompiledRule[];
  readonly properties: ReadonlyMap<string, RuleNode>;
  readonly additional: RuleNode | undefined;
  readonly items: RuleNode | undefined;
}

/** Compiles every rule of a custom resource's schema. `path` is where the schema stands, for errors. */
export function compileRules(schema: Schema, path = ""): CompiledRules | { errors: FieldError[] } {
  const errors: FieldError[] = [];
  const root = compileNode(schema, { path, name: "self", root: true, uncorrelatable: undefined, depth: 0 }, errors);
  return errors.length > 0 ? { errors } : { root };
}

interface Position {
  readonly path: string;
  readonly name: string;
  readonly root: boolean;
  readonly uncorrelatable: string | undefined;
  readonly depth: number;
}

function compileNode(schema: Schema, position: Position, errors: FieldError[]): RuleNode | undefined {
  const { path, name, uncorrelatable, depth } = position;
  checkDepth(depth);
  const sources = schema["x-kubernetes-validations"] ?? [];
  const shape = sources.length > 0 ? shapeOf(schema, name, position.root) : undefined;
  const rules: CompiledRule[] = [];
  for (const [i, source] of sources.entries()) {
    const place = index(child(path, "x-kubernetes-validations"), i);
    if (!shape) {
      errors.push(forbidden(place, "rules need a type to be about"));
      continue;
    }
    const rule = compileRule(source, { schema, shape, path: place, uncorrelatable }, errors);
    if (rule) rules.push(rule);
  }

  const below = (part: Schema, partPath: string, partName: string, within = uncorrelatable) =>
    compileNode(
      part,
      { path: partPath, name: `${name}.${partName}`, root: false, uncorrelatable: within, depth: depth + 1 },
      errors,
    );
  const properties = new Map<string, RuleNode>();
  for (const property of Object.keys(schema.properties ?? {}).toSorted()) {
    const node = below(schema.properties![property]!, key(child(path, "properties"), property), property);
    if (node) properties.set(property, node);
  }
  const { additionalProperties, items: itemSchema } = schema;
  const additional = isObject(additionalProperties)
    ? below(additionalProperties, child(path, "additionalProperties"), "@prop")
    : undefined;
  const correlates = schema["x-kubernetes-list-type"] === "map";
  const items =
    itemSchema &&
    below(itemSchema, child(path, "items"), "@idx", correlates ? uncorrelatable : (uncorrelatable ?? path));
  if (rules.length === 0 && properties.size === 0 && !additional && !items) return undefined;
  return { schema, shape, rules, properties, additional, items };
}

/** More failures than this tell nobody anything new. */
const mostErrors = 1000;

/** One object's way through the rules. */
interface Run {
  readonly errors: FieldError[];
  readonly budget: CostBudget;
}

/**
 * Runs the rules on a value, and those about change where there is an old one. The value must fit its schema: rules take
 * types for granted.
 */
export function validateRules(compiled: CompiledRules, value: unknown, old?: unknown): FieldError[] {
  const run: Run = { errors: [], budget: { left: totalCostLimit } };
  try {
    if (compiled.root) validateNode(compiled.root, value, old, "", run, 0);
  } catch (error) {
    if (!(error instanceof CostError)) throw error;
  }
  return run.errors;
}

function validateNode(node: RuleNode, value: unknown, old: unknown, path: string, run: Run, depth: number): void {
  checkDepth(depth);
  if (value === null || value === undefined || run.errors.length > mostErrors) return;
  if (node.rules.length > 0) runRules(node, value, old ?? undefined, path, run);
  if (Array.isArray(value)) {
    if (node.items) validateItems(node, node.items, value, old, path, run, depth);
  } else if (isObject(value)) {
    const before = isObject(old) ? old : undefined;
    for (const name of Object.keys(value)) {
      const known = node.properties.get(name);
      const part = known ?? node.additional;
      if (!part) continue;
      const place = known ? child(path, name) : key(path, name);
      const previous = before && Object.hasOwn(before, name) ? before[name] : undefined;
      validateNode(part, value[name], previous, place, run, depth + 1);
    }
  }
}

function validateItems(
  list: RuleNode,
  items: RuleNode,
  value: unknown[],
  old: unknown,
  path: string,
  run: Run,
  depth: number,
): void {
  const keys = list.schema["x-kubernetes-list-map-keys"];
  const before = new Map<string, unknown>();
  if (keys && list.schema["x-kubernetes-list-type"] === "map" && Array.isArray(old))
    for (const item of old) before.set(canonical(keysOf(item, keys)), item);
  for (let i = 0; i < value.length; i++) {
    const previous = keys && before.size > 0 ? before.get(canonical(keysOf(value[i], keys))) : undefined;
    validateNode(items, value[i], previous, index(path, i), run, depth + 1);
  }
}

function runRules(node: RuleNode, value: unknown, old: unknown, path: string, run: Run): void {
  const { shape } = node;
  if (!shape) return;
  let self: Value | undefined;
  let oldSelf: Value | undefined;
  for (const rule of node.rules) {
    const isOptional = rule.source.optionalOldSelf === true;
    if (rule.isTransition && old === undefined && !isOptional) continue;
    try {
      self ??= shape.convert(value);
      if (rule.isTransition && old !== undefined) oldSelf ??= shape.convert(old);
      const variables = {
        self,
        oldSelf: isOptional ? (oldSelf === undefined ? none : new OptionalValue(oldSelf)) : (oldSelf ?? null),
      };
      const holds = rule.expression.evaluate(variables, run.budget);
      if (holds !== true) run.errors.push(failure(rule, node, value, variables, path, run.budget));
    } catch (error) {
      if (!(error instanceof EvaluationError)) throw error;
      run.errors.push(faultOf(error, rule, node, path, run.budget));
      // Nothing that follows may cost as much again.
      if (error instanceof CostError) throw error;
    }
  }
}

function faultOf(
  error: EvaluationError,
  { source }: CompiledRule,
  { schema }: RuleNode,
  path: string,
  { left }: CostBudget,
): FieldError {
  const what = (source.message || source.rule).trim();
  const place = path === "" ? "<nil>" : path;
  if (left < 0)
    return invalid(
      place,
      schema.type ?? "",
      "validation failed due to running out of cost budget, no further validation rules will be run",
    );
  if (error instanceof CostError)
    return invalid(
      place,
      schema.type ?? "",
      `'${error.message}': no further validation rules will be run due to call cost exceeds limit for rule: ${what}`,
    );
  if (error.message === "no such overload")
    return invalid(
      place,
      schema.type ?? "",
      `'no such overload': call arguments did not match a supported operator, function or macro signature for rule: ${what}`,
    );
  return invalid(place, schema.type ?? "", `${error.message} evaluating rule: ${what}`);
}

function failure(
  rule: CompiledRule,
  { schema }: RuleNode,
  value: unknown,
  variables: Readonly<Record<string, Value>>,
  path: string,
  budget: CostBudget,
): FieldError {
  const message = messageOf(rule, variables, budget);
  let place = path;
  for (const part of rule.fieldPath) place = "property" in part ? child(place, part.property) : key(place, part.key);
  if (place === "") place = "<nil>";
  switch (rule.source.reason) {
    case "FieldValueForbidden":
      return forbidden(place, message);
    case "FieldValueRequired":
      return required(place, message);
    case "FieldValueDuplicate":
      return duplicate(place, value);
    default:
      // Whole objects and lists are not repeated to the user.
      if (schema.type === "object" || schema.type === "array")
        return { reason: "FieldValueInvalid", field: place, message: `Invalid value: ${message}` };
      return invalid(place, value, message);
  }
}

function messageOf(
  { source, message }: CompiledRule,
  variables: Readonly<Record<string, Value>>,
  budget: CostBudget,
): string {
  if (message) {
    try {
      const text = message.evaluate(variables, budget);
      if (typeof text === "string" && text.trim() !== "" && !text.includes("\n") && text.length <= 5120)
        return text.trim();
    } catch (error) {
      if (!(error instanceof EvaluationError)) throw error;
    }
  }
  return source.message?.trim() || `failed rule: ${source.rule.trim()}`;
}
