import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { deepFreeze, equal, isObject } from "../object/json.ts";
import type { Json } from "../object/json.ts";
import { applyMergePatch, createMergePatch } from "./merge-patch.ts";

describe("a merge patch", () => {
  test.each<[name: string, document: Json, patch: Json, result: Json]>([
    ["sets and deletes", { data: { k: "v" } }, { data: { m: "1", k: null } }, { data: { m: "1" } }],
    ["keeps what it does not name", { a: 1, b: { c: 2 } }, { b: { d: 3 } }, { a: 1, b: { c: 2, d: 3 } }],
    ["replaces lists", { a: [1, 2] }, { a: [3] }, { a: [3] }],
    ["replaces a scalar by an object", { a: 1 }, { a: { b: 2, c: null } }, { a: { b: 2 } }],
    ["replaces an object by a scalar", { a: { b: 1 } }, { a: 1 }, { a: 1 }],
    ["writes no nulls into new objects", {}, { a: { b: null, c: { d: null } } }, { a: { c: {} } }],
    [
      "drops nulls of objects in new lists, not of lists",
      {},
      { a: [{ b: null, c: 1 }, null] },
      { a: [{ c: 1 }, null] },
    ],
    ["deletes what is not there", {}, { a: null }, {}],
    ["that is a list is the result", { a: 1 }, [1], [1]],
    ["of nothing changes nothing", { a: { b: 1 } }, {}, { a: { b: 1 } }],
  ])("%s", (_name, document, patch, result) => {
    expect(applyMergePatch(deepFreeze(document), deepFreeze(patch))).toEqual(result);
  });

  test("treats __proto__ as an ordinary name", () => {
    const result = applyMergePatch({}, JSON.parse('{"__proto__":{"polluted":true}}') as Json);
    expect(Object.keys(result as object)).toEqual(["__proto__"]);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  test("that nests too deeply is rejected", () => {
    const patch = JSON.parse(`${'{"a":'.repeat(5_000)}1${"}".repeat(5_000)}`) as Json;
    expect(() => applyMergePatch({}, patch)).toThrow(/nested more than/);
  });

  test("made from two documents turns one into the other", () => {
    const document = fc.jsonValue({ maxDepth: 4 }).map((value) => withoutNulls(value as Json));
    fc.assert(
      fc.property(document, document, (from, to) => {
        const patch = createMergePatch(deepFreeze(from), deepFreeze(to));
        expect(equal(applyMergePatch(from, patch), to)).toBe(true);
      }),
    );
  });

  test("made from equal documents is empty", () => {
    expect(createMergePatch({ a: { b: [1] } }, { a: { b: [1] } })).toEqual({});
    expect(createMergePatch({ a: { b: 1, c: 1 }, d: 1 }, { a: { b: 2, c: 1 } })).toEqual({ a: { b: 2 }, d: null });
  });
});

function withoutNulls(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, child]) => child !== null)
      .map(([key, child]) => [key, withoutNulls(child)]),
  );
}
