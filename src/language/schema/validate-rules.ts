import { canonical, equal, isObject } from "../object/json.ts";
import { collectErrors, counted } from "./collect-errors.ts";
import { CostError, type CostBudget, totalCostLimit } from "./cel/frame.ts";
import { type Shape, shapeOf } from "./cel/shape.ts";
import { EvaluationError, none, OptionalValue, type Value } from "./cel/value.ts";
import { checkDepth } from "./depth.ts";
import { duplicate, type FieldError, forbidden, invalid, required } from "./field-error.ts";
import { keysOf } from "./list-type.ts";
import { child, index, key } from "./path.ts";
import { type CompiledRule, compileRule } from "./compile-rule.ts";
import type { Schema } from "./schema.ts";

/** The part of a schema that has rules, at it or below it. */
export interface CompiledRules {
  readonly errors?: undefined;
  /** Undefined if the schema has no rules. */
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

/** Compiles every rule of a custom resource's schema. Errors name places below `path`. */
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
      errors.push(forbidden(place, "a rule requires a schema with a type"));
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

/** Rules stop running once this many have failed. */
const mostErrors = 1000;

/** As many warnings as a response may hold, and more than a client reads. */
const mostWarnings = 100;

/** Gets what is wrong with a value that an update leaves as it was. */
export type Warn = (warning: string) => void;

/** The state of one validation. */
interface Run {
  readonly errors: FieldError[];
  readonly budget: CostBudget;
  readonly warn: Warn;
  warnings: number;
}

/** A value that a node's rules are about, and what it was before the write. */
interface Subject {
  readonly node: RuleNode;
  readonly value: unknown;
  /** Undefined if there is none, or none that can be matched: items of lists without keys cannot. */
  readonly old: unknown;
  readonly path: string;
  /** The value that holds this one. */
  readonly parent?: Subject;
}

/**
 * Runs the rules on a value, and transition rules where there is an old one. The value must already be valid against
 * its schema: rules rely on its types.
 */
export function validateRules(
  { root }: CompiledRules,
  value: unknown,
  old?: unknown,
  warn: Warn = () => {},
): FieldError[] {
  const run: Run = { errors: [], budget: { left: totalCostLimit }, warn, warnings: 0 };
  try {
    if (root) validateNode({ node: root, value, old, path: "" }, run, 0);
  } catch (error) {
    if (!(error instanceof CostError)) throw error;
  }
  return run.errors;
}

function validateNode(subject: Subject, run: Run, depth: number): void {
  checkDepth(depth);
  const { node, value, old, path } = subject;
  if (value === null || value === undefined || run.errors.length > mostErrors) return;
  if (node.rules.length > 0) runRules(subject, run);
  if (Array.isArray(value)) {
    if (node.items) validateItems(subject, node.items, run, depth);
  } else if (isObject(value)) {
    const before = isObject(old) ? old : undefined;
    for (const name of Object.keys(value)) {
      const known = node.properties.get(name);
      const part = known ?? node.additional;
      if (!part) continue;
      const place = known ? child(path, name) : key(path, name);
      const previous = before && Object.hasOwn(before, name) ? before[name] : undefined;
      validateNode({ node: part, value: value[name], old: previous, path: place, parent: subject }, run, depth + 1);
    }
  }
}

function validateItems(list: Subject, items: RuleNode, run: Run, depth: number): void {
  const { node, value, old, path } = list;
  const keys = node.schema["x-kubernetes-list-map-keys"];
  const before = new Map<string, unknown>();
  if (keys && node.schema["x-kubernetes-list-type"] === "map" && Array.isArray(old))
    for (const item of old) before.set(canonical(keysOf(item, keys)), item);
  for (const [i, item] of (value as unknown[]).entries()) {
    const previous = keys && before.size > 0 ? before.get(canonical(keysOf(item, keys))) : undefined;
    validateNode({ node: items, value: item, old: previous, path: index(path, i), parent: list }, run, depth + 1);
  }
}

function runRules(subject: Subject, run: Run): void {
  const { errors, budget } = run;
  const { shape, rules } = subject.node;
  if (!shape) return;
  const old = subject.old ?? undefined;
  let self: Value | undefined;
  let oldSelf: Value | undefined;
  for (const rule of rules) {
    const isOptional = rule.source.optionalOldSelf === true;
    if (rule.isTransition && old === undefined && !isOptional) continue;
    try {
      self ??= shape.convert(subject.value);
      if (rule.isTransition && old !== undefined) oldSelf ??= shape.convert(old);
      const variables = {
        self,
        oldSelf: isOptional ? (oldSelf === undefined ? none : new OptionalValue(oldSelf)) : (oldSelf ?? null),
      };
      const holds = rule.expression.evaluate(variables, budget);
      if (holds === true) continue;
      if (rule.isTransition || !isUnchanged(subject))
        errors.push(failure(rule, subject, messageOf(rule, variables, budget)));
      else if (run.warnings++ < mostWarnings)
        for (const { field, message } of collectErrors(() => [
          failure(rule, subject, messageOf(rule, variables, budget)),
        ]))
          run.warn(`${field}: ${message}`);
    } catch (error) {
      if (!(error instanceof EvaluationError)) throw error;
      errors.push(faultOf(error, rule, subject, budget));
      // After a rule that exceeded its cost limit kube-apiserver runs no other.
      if (error instanceof CostError) throw error;
    }
  }
}

/**
 * Ratcheting: what an update leaves as it was may break a rule that its schema got later, with a warning. A value without an old one is
 * compared as part of the nearest value that has one.
 */
function isUnchanged(subject: Subject): boolean {
  let compared: Subject | undefined = subject;
  while (compared && compared.old === undefined) compared = compared.parent;
  return compared !== undefined && equal(compared.value, compared.old);
}

function faultOf(error: EvaluationError, { source }: CompiledRule, subject: Subject, { left }: CostBudget): FieldError {
  const { path, node } = subject;
  const what = (source.message || source.rule).trim();
  const fault = (detail: string) => invalid(path === "" ? "<nil>" : path, node.schema.type ?? "", detail);
  if (left < 0)
    return fault("validation failed due to running out of cost budget, no further validation rules will be run");
  if (error instanceof CostError)
    return fault(
      `'${error.message}': no further validation rules will be run due to call cost exceeds limit for rule: ${what}`,
    );
  if (error.message === "no such overload")
    return fault(
      `'no such overload': call arguments did not match a supported operator, function or macro signature for rule: ${what}`,
    );
  return fault(`${error.message} evaluating rule: ${what}`);
}

function failure({ source, fieldPath }: CompiledRule, { node, value, path }: Subject, message: string): FieldError {
  let place = path;
  for (const part of fieldPath) place = "property" in part ? child(place, part.property) : key(place, part.key);
  if (place === "") place = "<nil>";
  switch (source.reason) {
    case "FieldValueForbidden":
      return forbidden(place, message);
    case "FieldValueRequired":
      return required(place, message);
    case "FieldValueDuplicate":
      return duplicate(place, value);
    default:
      // As kube-apiserver, the message does not repeat whole objects and lists.
      if (node.schema.type === "object" || node.schema.type === "array")
        return counted({ reason: "FieldValueInvalid", field: place, message: `Invalid value: ${message}` });
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
