import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { clone, deepFreeze } from "../../object/json.ts";
import type { Json } from "../../object/json.ts";
import { applyJsonPatch } from "./json-patch.ts";
import { PatchError } from "../patch-error.ts";

const applied: [name: string, document: Json, operations: Json, result: Json][] = [
  ["add a member", { data: {} }, [{ op: "add", path: "/data/j", value: "2" }], { data: { j: "2" } }],
  ["add replaces a member", { a: 1 }, [{ op: "add", path: "/a", value: 2 }], { a: 2 }],
  ["add inserts into a list", [1, 3], [{ op: "add", path: "/1", value: 2 }], [1, 2, 3]],
  ["add appends with -", [1], [{ op: "add", path: "/-", value: 2 }], [1, 2]],
  ["add appends at the length", [1], [{ op: "add", path: "/1", value: 2 }], [1, 2]],
  ["add without a value writes null", {}, [{ op: "add", path: "/a" }], { a: null }],
  ["negative indices count from the end", [1, 2, 3], [{ op: "remove", path: "/-1" }], [1, 2]],
  ["~1 is a slash and ~0 a tilde", {}, [{ op: "add", path: "/a~1b~0c~01", value: 1 }], { "a/b~c~1": 1 }],
  ["an empty name is a name", {}, [{ op: "add", path: "/", value: 1 }], { "": 1 }],
  ["remove a member that is null", { a: null }, [{ op: "remove", path: "/a" }], {}],
  ["replace an item", [1, 2], [{ op: "replace", path: "/0", value: 9 }], [9, 2]],
  ["replace a missing member adds it", {}, [{ op: "replace", path: "/a", value: 1 }], { a: 1 }],
  ["replace the whole document", { a: 1 }, [{ op: "replace", path: "", value: { b: 2 } }], { b: 2 }],
  ["move", { a: { x: 1 }, b: {} }, [{ op: "move", from: "/a/x", path: "/b/y" }], { a: {}, b: { y: 1 } }],
  ["copy", { a: [1] }, [{ op: "copy", from: "/a", path: "/b" }], { a: [1], b: [1] }],
  ["copy of a missing member is null", {}, [{ op: "copy", from: "/a", path: "/b" }], { b: null }],
  [
    "test an object whatever the order",
    { a: { x: 1, y: 2 } },
    [{ op: "test", path: "/a", value: { y: 2, x: 1 } }],
    { a: { x: 1, y: 2 } },
  ],
  ["test a missing member against null", {}, [{ op: "test", path: "/a", value: null }], {}],
  ["test the whole document", { a: 1 }, [{ op: "test", path: "", value: { a: 1 } }], { a: 1 }],
  ["null means no operations", { a: 1 }, null, { a: 1 }],
  [
    "operations see the results of earlier ones",
    {},
    [
      { op: "add", path: "/a", value: {} },
      { op: "add", path: "/a/b", value: 1 },
    ],
    { a: { b: 1 } },
  ],
];

const refused: [name: string, document: Json, operations: Json, kind: string, message: string][] = [
  [
    "not a list",
    {},
    { a: 1 },
    "malformed",
    "json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp",
  ],
  ["a string", {}, "x", "malformed", "json: cannot unmarshal string into Go value of type []handlers.jsonPatchOp"],
  [
    "an operation that is a number",
    {},
    [1],
    "malformed",
    "json: cannot unmarshal number into Go value of type handlers.jsonPatchOp",
  ],
  [
    "an op that is a number",
    {},
    [{ op: 1 }],
    "malformed",
    "json: cannot unmarshal number into Go struct field jsonPatchOp.op of type string",
  ],
  ["an unknown op", {}, [{ op: "bogus", path: "/a" }], "unprocessable", "Unexpected kind: bogus"],
  ["no path", {}, [{ op: "add", value: 1 }], "unprocessable", "add operation failed to decode path: missing value"],
  [
    "add below a missing parent",
    {},
    [{ op: "add", path: "/a/b", value: 1 }],
    "unprocessable",
    'add operation does not apply: doc is missing path: "/a/b": missing value',
  ],
  ["add below a scalar", { a: 1 }, [{ op: "add", path: "/a/b", value: 1 }], "unprocessable", "doc is missing path"],
  ["add to an empty path", {}, [{ op: "add", path: "", value: {} }], "unprocessable", "doc is missing path"],
  ["add beyond the end", [1], [{ op: "add", path: "/3", value: 1 }], "unprocessable", "invalid index"],
  ["an invalid index", [1], [{ op: "add", path: "/x", value: 1 }], "unprocessable", "invalid index"],
  [
    "remove a missing member",
    { data: {} },
    [{ op: "remove", path: "/data/none" }],
    "unprocessable",
    "Unable to remove nonexistent key",
  ],
  ["remove a missing item", [], [{ op: "remove", path: "/0" }], "unprocessable", "invalid index"],
  ["replace a missing item", [], [{ op: "replace", path: "/0", value: 1 }], "unprocessable", "invalid index"],
  [
    "replace the document by a scalar",
    {},
    [{ op: "replace", path: "", value: 1 }],
    "unprocessable",
    "must be object or array",
  ],
  ["move into itself", { a: {} }, [{ op: "move", from: "/a", path: "/a/b" }], "unprocessable", "destination path"],
  [
    "test another value",
    { data: { j: "2" } },
    [{ op: "test", path: "/data/j", value: "9" }],
    "unprocessable",
    "testing value /data/j failed: test failed",
  ],
  ["inherited names are missing", {}, [{ op: "remove", path: "/constructor" }], "unprocessable", "nonexistent key"],
];

describe("a JSON patch", () => {
  test.each(applied)("%s", (_name, document, operations, result) => {
    expect(applyJsonPatch(document, operations)).toEqual(result);
  });

  test.each(refused)("is refused: %s", (_name, document, operations, kind, message) => {
    const act = (): Json => applyJsonPatch(document, operations);
    expect(act).toThrow(PatchError);
    expect(act).toThrow(expect.objectContaining({ kind, message: expect.stringContaining(message) as string }));
  });

  test("has at most 10,000 operations", () => {
    const operations = Array.from({ length: 10_001 }, () => ({ op: "test", path: "", value: {} }));
    expect(() => applyJsonPatch({}, operations)).toThrow(expect.objectContaining({ kind: "too-large" }));
    expect(applyJsonPatch({}, operations.slice(1))).toEqual({});
  });

  test("cannot grow a document without limit by copying", () => {
    const operations = Array.from({ length: 60 }, (_, i) => ({ op: "copy", from: "/a", path: `/a/${i}` }));
    expect(() => applyJsonPatch({ a: { x: "0123456789" } }, operations)).toThrow(/accumulated size increase of copy/);
  });

  test("cannot nest a document without limit by moving", () => {
    const document: Record<string, Json> = {};
    for (let i = 0; i <= 1_001; i++) document[`k${i}`] = {};
    const operations = Array.from({ length: 1_001 }, (_, i) => ({ op: "move", from: `/k${i}`, path: `/k${i + 1}/x` }));
    expect(() => applyJsonPatch(document, operations)).toThrow(/nested more than/);
  });

  test("treats __proto__ as an ordinary name", () => {
    const result = applyJsonPatch({}, JSON.parse('[{"op":"add","path":"/__proto__","value":{"polluted":true}}]'));
    expect(Object.keys(result as object)).toEqual(["__proto__"]);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  test("never changes its input, whatever the operations", () => {
    const name = fc.constantFrom("a", "b", "0", "-", "__proto__");
    const path = fc.array(name, { maxLength: 3 }).map((names) => names.map((n) => `/${n}`).join(""));
    const json = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>;
    const document = fc.dictionary(name, fc.oneof(json, fc.dictionary(name, json)));
    const operation = fc.record({
      op: fc.constantFrom("add", "remove", "replace", "move", "copy", "test"),
      path,
      from: path,
      value: json,
    });
    fc.assert(
      fc.property(document, fc.array(operation, { maxLength: 6 }), (document, operations) => {
        const before = clone(document);
        deepFreeze(document);
        deepFreeze(operations);
        try {
          applyJsonPatch(document, operations);
        } catch (error) {
          // A write to frozen input would be a TypeError.
          expect(error).toBeInstanceOf(PatchError);
        }
        expect(document).toEqual(before);
      }),
    );
  });
});

test("a document is not changed, also where a value is moved, copied and changed again", () => {
  const path = fc.constantFrom("/a", "/a/b", "/a/b/0", "/b", "/b/a", "/b/-", "/b/0/a", "/c");
  const op = fc.constantFrom("add", "remove", "replace", "move", "copy");
  const operation = fc.record({ op, path, from: path, value: fc.jsonValue({ maxDepth: 1 }) });
  const document: Json = { a: { b: [{ a: 1 }, 2] }, b: [{ a: { b: [1] } }, { a: 3 }] };
  const frozen = deepFreeze(clone(document));
  fc.assert(
    fc.property(fc.array(operation, { maxLength: 6 }), (operations) => {
      const apply = (to: Json): Json | string => {
        try {
          return applyJsonPatch(to, operations);
        } catch (error) {
          if (error instanceof PatchError) return error.message;
          throw error;
        }
      };
      expect(apply(frozen)).toEqual(apply(clone(document)));
      expect(frozen).toEqual(document);
    }),
  );
});
