import fc from "fast-check";
import { expect, test } from "vitest";
import { deepFreeze, type Json } from "../../object/json.ts";
import { applyJsonPatch } from "./json-patch.ts";
import { jsonPatchBetween } from "./json-patch-between.ts";

test.each<[string, Json, Json, object[]]>([
  ["equal documents differ in nothing", { a: [1] }, { a: [1] }, []],
  ["a new member is added", {}, { a: 1 }, [{ op: "add", path: "/a", value: 1 }]],
  ["a member that is gone is removed", { a: 1 }, {}, [{ op: "remove", path: "/a" }]],
  [
    "only what changed is named",
    { a: { b: 1, c: 2 } },
    { a: { b: 1, c: 3 } },
    [{ op: "replace", path: "/a/c", value: 3 }],
  ],
  [
    "an item of a list is named by its index: what an API server must read does not grow with the others",
    { a: [{ b: 1 }, { b: 2, c: 3 }] },
    { a: [{ b: 1 }, { b: 4, c: 3 }] },
    [{ op: "replace", path: "/a/1/b", value: 4 }],
  ],
  [
    "a list of another length is replaced whole",
    { a: [1, 2] },
    { a: [2] },
    [{ op: "replace", path: "/a", value: [2] }],
  ],
  [
    "a list with many changes is replaced whole: API servers limit the number of operations",
    { a: Array<Json>(101).fill(1) },
    { a: Array<Json>(101).fill(2) },
    [{ op: "replace", path: "/a", value: Array<Json>(101).fill(2) }],
  ],
  [
    "an object of which little stays is replaced whole: one operation is shorter, and API servers apply it faster",
    { a: { b: { requests: { cpu: "1", memory: "1Gi" } } } },
    { a: { b: { requests: { cores: "1k", memory: "1Gi" }, limits: { cores: "1k" } } } },
    [{ op: "replace", path: "/a/b", value: { requests: { cores: "1k", memory: "1Gi" }, limits: { cores: "1k" } } }],
  ],
  [
    "an object of which more stays than changes is not",
    { x: { a: { b: 1, c: 2, d: 3, e: 4 } } },
    { x: { a: { b: 1, c: 2, f: 5, e: 4 } } },
    [
      { op: "remove", path: "/x/a/d" },
      { op: "add", path: "/x/a/f", value: 5 },
    ],
  ],
  [
    "a member of the document is not: its metadata may have more than webhooks are shown",
    { metadata: { a: 1, b: 2 } },
    { metadata: { c: 3 } },
    [
      { op: "remove", path: "/metadata/a" },
      { op: "remove", path: "/metadata/b" },
      { op: "add", path: "/metadata/c", value: 3 },
    ],
  ],
  ["names are escaped", {}, { "a/b~c": 1 }, [{ op: "add", path: "/a~1b~0c", value: 1 }]],
])("%s", (_, before, after, operations) => {
  expect(jsonPatchBetween(before, after)).toEqual(operations);
});

test("applied, turns one document into the other", () => {
  const member = fc.oneof(
    fc.jsonValue({ maxDepth: 4 }),
    fc.array(fc.dictionary(fc.constantFrom("a", "b"), fc.jsonValue())),
  );
  const document = fc.dictionary(fc.oneof(fc.string(), fc.constantFrom("a", "b")), member);
  fc.assert(
    fc.property(document, document, (before, after) => {
      const document = deepFreeze(before as Json);
      expect(applyJsonPatch(document, jsonPatchBetween(document, after as Json))).toEqual(after);
    }),
  );
});
