import { isObject } from "../../object/json.ts";
import { depthLimit } from "../depth.ts";
import { EvaluationError, type Value } from "./value.ts";

/**
 * JSON without a schema as a value of an expression. Objects become maps that convert a value on first access: an
 * expression reads only a small part of an object.
 */
export function fromJson(json: unknown, depth = 0): Value {
  switch (typeof json) {
    case "string":
    case "boolean":
    case "bigint":
      return json;
    case "number":
      return Number.isInteger(json) ? BigInt(json) : json;
    default:
  }
  if (json === null || json === undefined) return null;
  if (Array.isArray(json)) {
    if (depth > depthLimit) throw new EvaluationError("value is nested too deeply");
    return json.map((item) => fromJson(item, depth + 1));
  }
  if (isObject(json)) return new JsonMap(json);
  throw new EvaluationError("no such overload");
}

/** A key whose value is `undefined` counts as absent, as it does in JSON. */
class JsonMap extends Map<Value, Value> {
  readonly #json: Readonly<Record<string, unknown>>;

  constructor(json: Readonly<Record<string, unknown>>) {
    super();
    this.#json = json;
  }

  override get size(): number {
    let size = 0;
    for (const key of Object.keys(this.#json)) if (this.#json[key] !== undefined) size++;
    return size;
  }

  override has(key: Value): boolean {
    return typeof key === "string" && Object.hasOwn(this.#json, key) && this.#json[key] !== undefined;
  }

  override get(key: Value): Value | undefined {
    if (!this.has(key)) return undefined;
    let value = super.get(key);
    if (value === undefined) super.set(key, (value = fromJson(this.#json[key as string])));
    return value;
  }

  override keys(): MapIterator<Value> {
    return Object.keys(this.#json)
      .filter((key) => this.#json[key] !== undefined)
      .values();
  }

  override *entries(): MapIterator<[Value, Value]> {
    for (const key of this.keys()) yield [key, this.get(key) ?? null];
  }

  override [Symbol.iterator](): MapIterator<[Value, Value]> {
    return this.entries();
  }
}
