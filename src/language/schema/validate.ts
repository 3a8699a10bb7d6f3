import { asInteger } from "../object/exact-json.ts";
import { runeLength } from "../object/byte-length.ts";
import { canonical, equal, isObject } from "../object/json.ts";
import { checkDepth, deeper, type Walk } from "./depth.ts";
import { collectErrors, counted } from "./collect-errors.ts";
import {
  type FieldError,
  type FieldErrorReason,
  goNumber,
  invalid,
  notSupported,
  required,
  tooLong,
  tooMany,
  typeInvalid,
} from "./field-error.ts";
import { hasFormat } from "./format.ts";
import { child, index } from "./path.ts";
import { compilePattern } from "./pattern.ts";
import type { Schema } from "./schema.ts";

/** For a fault of the whole object kube-apiserver prints Go's nil path. */
const nowhere = "<nil>";

/** Faults of a value against its schema, worded as kube-apiserver does: `spec.level in body should be …`. */
export function validateSchema(value: unknown, schema: Schema, path = ""): FieldError[] {
  const errors: FieldError[] = [];
  validate(value, schema, path, { errors, depth: 0 });
  return errors;
}

function validate(value: unknown, schema: Schema, path: string, walk: Walk): void {
  const { errors } = walk;
  checkDepth(walk.depth);
  checkType(value, schema, path, errors);
  if (value === null || value === undefined) {
    checkEnum(value ?? null, schema, path, errors);
    return;
  }
  if (schema.allOf || schema.anyOf || schema.oneOf || schema.not) checkComposition(value, schema, path, walk);
  if (typeof value === "string") checkString(value, schema, path, errors);
  else if (typeof value === "number" || typeof value === "bigint") checkNumber(value, schema, path, errors);
  else if (Array.isArray(value)) checkList(value, schema, path, walk);
  checkEnum(value, schema, path, errors);
  if (isObject(value)) checkObject(value, schema, path, walk);
}

function checkType(value: unknown, schema: Schema, path: string, errors: FieldError[]): void {
  const intOrString = schema["x-kubernetes-int-or-string"] === true;
  const { type } = schema;
  if (!type && !intOrString) return;
  const actual = typeName(value);
  if (actual === "null") {
    if (schema.nullable) return;
  } else if (intOrString) {
    if (actual === "integer" || actual === "string") return;
  } else if (actual === type || (type === "number" && actual === "integer")) return;
  const expected = intOrString ? "integer,string" : (type ?? "");
  errors.push(typeInvalid(place(path), actual, `${path} in body must be of type ${expected}: "${actual}"`));
}

function typeName(value: unknown): string {
  if (value === null || value === undefined) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "number" || typeof value === "bigint")
    return asInteger(value) === undefined ? "number" : "integer";
  return typeof value;
}

function checkString(value: string, schema: Schema, path: string, errors: FieldError[]): void {
  const { minLength, maxLength, pattern, format } = schema;
  // Of length and pattern only the first fault is reported; of numbers all are.
  if (maxLength !== undefined && value.length > maxLength && runeLength(value) > maxLength)
    errors.push(tooLong(place(path), maxLength));
  else if (minLength !== undefined && (value.length < minLength || runeLength(value) < minLength))
    errors.push(invalid(place(path), value, `${path} in body should be at least ${minLength} chars long`));
  else if (pattern !== undefined && pattern !== "" && !compilePattern(pattern).test(value))
    errors.push(invalid(place(path), value, `${path} in body should match '${pattern}'`));
  if (format !== undefined && (schema.type === "string" || !schema.type) && !hasFormat(value, format))
    errors.push(typeInvalid(place(path), value, `${path} in body must be of type ${format}: ${JSON.stringify(value)}`));
}

function checkNumber(value: number | bigint, schema: Schema, path: string, errors: FieldError[]): void {
  const { minimum, maximum, multipleOf } = schema;
  const fault = (detail: string) => errors.push(invalid(place(path), value, `${path} in body should be ${detail}`));
  if (multipleOf !== undefined && multipleOf !== 0 && !isMultiple(Number(value), multipleOf))
    fault(`a multiple of ${goNumber(multipleOf)}`);
  if (maximum !== undefined && (schema.exclusiveMaximum ? value >= maximum : value > maximum))
    fault(schema.exclusiveMaximum ? `less than ${goNumber(maximum)}` : `less than or equal to ${goNumber(maximum)}`);
  if (minimum !== undefined && (schema.exclusiveMinimum ? value <= minimum : value < minimum))
    fault(
      schema.exclusiveMinimum ? `greater than ${goNumber(minimum)}` : `greater than or equal to ${goNumber(minimum)}`,
    );
}

/** Tolerates rounding: 0.3 is a multiple of 0.1, although neither is exact in binary. */
function isMultiple(value: number, unit: number): boolean {
  const times = value / unit;
  return Math.abs(times - Math.round(times)) <= Math.abs(times) * 2 ** -50;
}

function checkList(value: unknown[], schema: Schema, path: string, walk: Walk): void {
  const { errors } = walk;
  const { items, minItems, maxItems } = schema;
  if (items) {
    const below = deeper(walk);
    for (let i = 0; i < value.length; i++) validate(value[i], items, index(path, i), below);
  }
  if (minItems !== undefined && value.length < minItems)
    errors.push(invalid(place(path), value.length, `${path} in body should have at least ${minItems} items`));
  if (maxItems !== undefined && value.length > maxItems) errors.push(tooMany(place(path), value.length, maxItems));
  if (schema.uniqueItems && new Set(value.map(canonical)).size < value.length)
    errors.push(invalid(place(path), value, `${path} in body shouldn't contain duplicates`));
}

function checkObject(value: Record<string, unknown>, schema: Schema, path: string, walk: Walk): void {
  const { errors } = walk;
  const { properties, additionalProperties, minProperties, maxProperties } = schema;
  const faulty: FieldError[][] = [];
  const below: Walk = { errors: [], depth: walk.depth + 1 };
  let count = 0;
  for (const name of Object.keys(value)) {
    if (value[name] === undefined) continue;
    count++;
    let property: Schema | undefined;
    if (properties && Object.hasOwn(properties, name)) property = properties[name];
    else if (isObject(additionalProperties)) property = additionalProperties;
    if (!property) continue;
    validate(value[name], property, child(path, name), below);
    if (below.errors.length > 0) faulty.push(below.errors.splice(0));
  }
  for (const name of schema.required ?? [])
    if (!Object.hasOwn(value, name) || value[name] === undefined) faulty.push([required(child(path, name))]);
  if (schema["x-kubernetes-embedded-resource"] === true)
    for (const name of ["apiVersion", "kind"])
      if (!Object.hasOwn(value, name)) faulty.push([required(child(path, name))]);
  if (minProperties !== undefined && count < minProperties)
    errors.push(invalid(place(path), count, `${path} in body should have at least ${minProperties} properties`));
  if (maxProperties !== undefined && count > maxProperties) errors.push(tooMany(place(path), count, maxProperties));
  if (faulty.length > 1) faulty.sort((a, b) => rank(a) - rank(b));
  for (const some of faulty) append(errors, some);
}

/** Go visits the properties of an object in random order; we report the most specific faults first. */
const ranks: Partial<Record<FieldErrorReason, number>> = {
  FieldValueRequired: 0,
  FieldValueNotSupported: 1,
  FieldValueTooLong: 2,
  FieldValueTypeInvalid: 3,
};

function rank(faults: readonly FieldError[]): number {
  return (faults[0] && ranks[faults[0].reason]) ?? 4;
}

function checkEnum(value: unknown, schema: Schema, path: string, errors: FieldError[]): void {
  const allowed = schema.enum;
  if (!allowed || allowed.length === 0) return;
  for (const candidate of allowed) if (equal(candidate, value)) return;
  errors.push(
    notSupported(
      place(path),
      value,
      allowed.map((candidate) => (typeof candidate === "string" ? candidate : canonical(candidate))),
    ),
  );
}

function checkComposition(value: unknown, schema: Schema, path: string, { errors, depth }: Walk): void {
  const { allOf, anyOf, oneOf, not } = schema;
  const faultsOf = (part: Schema): FieldError[] => {
    const faults: FieldError[] = [];
    validate(value, part, path, { errors: faults, depth: depth + 1 });
    return faults;
  };
  // Errors of an alternative are dropped if another one is valid.
  const alternative = (part: Schema): FieldError[] => collectErrors(() => faultsOf(part));
  const fault = (detail: string) => errors.push(invalid(nowhere, "", `"${path}" must ${detail}`));

  if (anyOf && anyOf.length > 0) {
    const results = anyOf.map(alternative);
    if (results.every((faults) => faults.length > 0)) {
      fault("validate at least one schema (anyOf)");
      append(errors, closest(results).map(counted));
    }
  }
  if (oneOf && oneOf.length > 0) {
    const results = oneOf.map(alternative);
    const valid = results.filter((faults) => faults.length === 0).length;
    if (valid === 0) {
      fault("validate one and only one schema (oneOf). Found none valid");
      append(errors, closest(results).map(counted));
    } else if (valid > 1) fault(`validate one and only one schema (oneOf). Found ${valid} valid alternatives`);
  }
  if (allOf && allOf.length > 0) {
    const results = allOf.map(faultsOf);
    const valid = results.filter((faults) => faults.length === 0).length;
    for (const faults of results) append(errors, faults);
    if (valid < results.length) fault(`validate all the schemas (allOf)${valid === 0 ? ". None validated" : ""}`);
  }
  if (not && alternative(not).length === 0) fault("not validate the schema (not)");
}

/** Of alternatives that all failed, the one with the fewest faults is most likely the one the user meant. */
function closest(results: readonly FieldError[][]): FieldError[] {
  let best = results[0] ?? [];
  for (const faults of results) if (faults.length < best.length) best = faults;
  return best;
}

/** A loop, because `push(...more)` puts every element on the stack, and a long list can have too many faults for it. */
function append(errors: FieldError[], more: readonly FieldError[]): void {
  for (const error of more) errors.push(error);
}

function place(path: string): string {
  return path === "" ? nowhere : path;
}
