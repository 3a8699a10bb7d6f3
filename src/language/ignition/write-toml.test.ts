import fc from "fast-check";
import { expect, it } from "vitest";
import { readToml, type TomlTable, type TomlValue } from "./toml.ts";
import { writeToml } from "./write-toml.ts";

const key = fc.oneof(fc.constantFrom("a", "b-c", "default_runtime"), fc.string({ minLength: 1, maxLength: 5 }));
const scalar = fc.oneof(fc.string({ maxLength: 8 }), fc.boolean(), fc.integer());
const value: fc.Arbitrary<TomlValue> = fc.oneof(scalar, fc.array(scalar, { maxLength: 3 }));
const leaf: fc.Arbitrary<TomlTable> = fc.array(fc.tuple(key, value), { maxLength: 4 }).map((rows) => new Map(rows));
const below: fc.Arbitrary<TomlValue> = fc.oneof(value, leaf, fc.array(leaf, { minLength: 1, maxLength: 3 }));
const table: fc.Arbitrary<TomlTable> = fc.array(fc.tuple(key, below), { maxLength: 4 }).map((rows) => new Map(rows));
const root: fc.Arbitrary<TomlTable> = fc
  .array(fc.tuple(key, fc.oneof(below, table, fc.array(table, { minLength: 1, maxLength: 2 }))), { maxLength: 4 })
  .map((rows) => new Map(rows));

it("writes what is read back as the same tables and values", () => {
  fc.assert(
    fc.property(root, (given) => {
      expect(readToml(writeToml(given))).toEqual({ type: "toml", root: given });
    }),
  );
});

it("writes values of a table before the tables below it", () => {
  const text = 'a = [{ x = 1 }, 2]\n[t]\nb = "q\\"t"\n[t.u]\nc = true\n[[l]]\n[[l]]\n"d e" = -1\n';
  const read = readToml(text);
  expect(read.type === "toml" && writeToml(read.root)).toBe(
    'a = [{ x = 1 }, 2]\n\n[t]\nb = "q\\"t"\n\n[t.u]\nc = true\n\n[[l]]\n\n[[l]]\n"d e" = -1\n',
  );
});
