import fc from "fast-check";
import { expect, test } from "vitest";
import type { Json } from "../../object/json.ts";
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
  ["a list is replaced whole", { a: [1, 2] }, { a: [2] }, [{ op: "replace", path: "/a", value: [2] }]],
  ["names are escaped", {}, { "a/b~c": 1 }, [{ op: "add", path: "/a~1b~0c", value: 1 }]],
])("%s", (_, before, after, operations) => {
  expect(jsonPatchBetween(before, after)).toEqual(operations);
});

test("applied, turns one document into the other", () => {
  const document = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 }));
  fc.assert(
    fc.property(document, document, (before, after) => {
      expect(applyJsonPatch(before as Json, jsonPatchBetween(before as Json, after as Json))).toEqual(after);
    }),
  );
});
