import { CompileError } from "./syntax.ts";
import { dyn, showType, type Type } from "./type.ts";
import { asKey, EvaluationError, isList, isMap, ObjectValue, type Value } from "./value.ts";

/** The type of a field of an object, or of the object that an optional holds. */
export function fieldType(operand: Type, field: string, at: number): { type: Type; throughOptional: boolean } {
  const type = operand.kind === "optional" ? operand.of : operand;
  const throughOptional = operand.kind === "optional";
  if (type.kind === "dyn") return { type: dyn, throughOptional };
  if (type.kind === "map") return { type: type.value, throughOptional };
  if (type.kind === "opaque") throw new CompileError(`unexpected failed resolution of '${type.name}'`, at);
  if (type.kind !== "object") throw new CompileError(`type '${showType(type)}' does not support field selection`, at);
  const found = type.fields.get(field);
  if (!found) throw new CompileError(`undefined field '${field}'`, at);
  return { type: found, throughOptional };
}

/** The value under a name or key, or undefined. */
export function lookUp(value: Value, key: Value): Value | undefined {
  if (value instanceof ObjectValue) return typeof key === "string" ? value.fields.get(key) : undefined;
  if (isMap(value)) return value.get(asKey(key));
  if (!isList(value)) throw new EvaluationError("no such overload");
  const position = asKey(key);
  if (typeof position !== "bigint") throw new EvaluationError("no such overload");
  return value[Number(position)];
}

export function truth(value: Value): boolean {
  if (typeof value !== "boolean") throw new EvaluationError("no such overload");
  return value;
}
