import fc from "fast-check";
import { expect, test } from "vitest";
import { withoutManagedFields } from "./without-managed-fields.ts";

const list = [{ manager: "a]}", fieldsV1: { 'k:{"name":"x"}': { "f:a": {} } } }, []];

test.each<[string, unknown, unknown]>([
  ["an object without them", { metadata: { name: "a" } }, { metadata: { name: "a" } }],
  [
    "those of the object and of the old one",
    {
      object: { metadata: { managedFields: list, name: "a" } },
      oldObject: { metadata: { name: "a", managedFields: [] } },
    },
    {
      object: { metadata: { managedFields: null, name: "a" } },
      oldObject: { metadata: { name: "a", managedFields: null } },
    },
  ],
  ["no list", { managedFields: { a: 1 } }, { managedFields: { a: 1 } }],
  [
    "a text about them",
    { a: '"managedFields":[1,', b: '\\"managedFields":[' },
    { a: '"managedFields":[1,', b: '\\"managedFields":[' },
  ],
])("%s", (_, value, expected) => {
  expect(JSON.parse(withoutManagedFields(JSON.stringify(value)))).toEqual(expected);
});

test.each(['{"managedFields":[', '"managedFields":[{]', '{"managedFields":["'])(
  "%s, which is no JSON, stays none",
  (text) => {
    expect(() => JSON.parse(withoutManagedFields(text)) as unknown).toThrow(SyntaxError);
  },
);

test("everything else stays as it is", () => {
  const name = fc.oneof(fc.string(), fc.constant("managedFields"));
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { maxDepth: 5 },
      fc.jsonValue({ maxDepth: 1 }),
      fc.array(tie("tree")),
      fc.dictionary(name, tie("tree")),
    ),
  }));
  const blanked = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(blanked);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, child]) => [
        key,
        // The quote before the name may be the last character of a longer one.
        /(^|")managedFields$/.test(key) && Array.isArray(child) ? null : blanked(child),
      ]),
    );
  };
  fc.assert(
    fc.property(tree, (value) => {
      expect(JSON.parse(withoutManagedFields(JSON.stringify(value)))).toEqual(
        blanked(JSON.parse(JSON.stringify(value))),
      );
    }),
  );
});
