import * as fc from "fast-check";
import { clone, set } from "../../src/language/object/json.ts";

/** Hostile values. */
export const anyHostile: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    "",
    " ",
    "-",
    "0-",
    "0-99999999999",
    "65535",
    "\n[main]\ninclude=/",
    "${f:exec:reboot}",
    "$(reboot)",
    "../../etc/passwd",
    "__proto__",
    "\u0000\u2028",
    "x".repeat(5000),
    -1,
    0.5,
    2 ** 53,
    -(2 ** 31),
    Number.MAX_VALUE,
    Number.NaN,
    true,
    [],
    [[[]]],
    {},
    { __proto__: null, constructor: { prototype: {} } },
    JSON.parse('{"__proto__":{"spec":{}},"toString":"x"}'),
  ),
  fc.integer({ min: 1, max: 600 }).map((depth) => nested(depth)),
  fc.string(),
  fc.double(),
  fc.jsonValue(),
  fc.dictionary(fc.constantFrom("__proto__", "constructor", "a/b", "size", "cpu", ""), fc.jsonValue()),
);

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let i = 0; i < depth; i++) value = i % 2 ? [value] : { a: value };
  return value;
}

export interface Mutation {
  /** A random place in a value. */
  readonly place: number;
  readonly how: "replace" | "remove" | "add" | "repeat";
  readonly key: string;
  readonly value: unknown;
}

export const anyMutation: fc.Arbitrary<Mutation> = fc.record({
  place: fc.nat(),
  how: fc.constantFrom("replace", "remove", "add", "repeat"),
  key: fc.constantFrom("__proto__", "constructor", "cpu", "node", "annotations", "hugepages", "pages", "x"),
  value: anyHostile,
});

/** A copy with a change in one place. */
export function mutated<T>(value: T, { place, how, key, value: hostile }: Mutation): unknown {
  const copy: unknown = clone(value);
  const places = placesOf(copy);
  const found = places[place % places.length];
  if (!found) return hostile;
  const { parent, name } = found;
  if (Array.isArray(parent) && how === "remove") parent.splice(Number(name), 1);
  else if (Array.isArray(parent) && how === "add") parent.push(hostile);
  else if (Array.isArray(parent) && how === "repeat") parent.push(parent[Number(name)]);
  else if (how === "remove") delete parent[name];
  else if (how === "add") set(parent, key, hostile);
  else set(parent, name, hostile);
  return copy;
}

interface Place {
  readonly parent: Record<string, unknown>;
  readonly name: string;
}

function placesOf(value: unknown, places: Place[] = []): Place[] {
  if (typeof value !== "object" || value === null) return places;
  const parent = value as Record<string, unknown>;
  for (const name of Object.keys(parent)) {
    places.push({ parent, name });
    placesOf(parent[name], places);
  }
  return places;
}
