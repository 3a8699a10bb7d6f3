import { expect, it } from "vitest";
import { fnv32a, hashOf, hashText, safeEncode } from "./hash.ts";

it("ignores the order of keys and nothing else", () => {
  expect(hashOf({ a: 1, b: [2, 3] })).toBe(hashOf({ b: [2, 3], a: 1 }));
  expect(hashOf({ a: 1, b: undefined })).toBe(hashOf({ a: 1 }));
  expect(hashOf({ a: 1, b: [3, 2] })).not.toBe(hashOf({ a: 1, b: [2, 3] }));
});

it("is the same in every release: names of objects depend on it", () => {
  expect(hashText("")).toMatchInlineSnapshot(`"f35965d0db273f31"`);
  expect(hashText("attune")).toMatchInlineSnapshot(`"1e95133e54c12d08"`);
  expect(safeEncode("0123456789abcdef")).toMatchInlineSnapshot(`"456789bcdfvwxz24"`);
});

it("has no collisions among a hundred thousand similar texts", () => {
  const seen = new Set<string>();
  for (let i = 0; i < 100_000; i++) seen.add(hashText(`node-${i}`));
  expect(seen.size).toBe(100_000);
  expect([...seen].every((hash) => /^[0-9a-f]{16}$/.test(hash))).toBe(true);
});

it.each([
  ["", "811c9dc5"],
  ["nodepool-1", "9fefc949"],
  ["hugepages-example", "8dfb1fed"],
  ["key\0value\0", "bb7bee67"],
  ["ä".repeat(35), "a6b63452"],
])("FNV-1a of %j is that of Go", (text, hash) => {
  expect(fnv32a(text)).toBe(hash);
});
