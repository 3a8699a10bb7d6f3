import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Indexes } from "./indexes.ts";

describe("indexes", () => {
  it.each([
    { indexes: [], text: "" },
    { indexes: [3], text: "3" },
    { indexes: [0, 1], text: "0,1" },
    { indexes: [2, 0, 1], text: "0-2" },
    { indexes: [9, 1, 3, 4, 5, 1], text: "1,3-5,9" },
  ])("$indexes are formatted as $text", ({ indexes, text }) => {
    expect(Indexes.of(indexes).toString()).toBe(text);
    expect(Indexes.parse(text, 100).toString()).toBe(text);
  });

  it.each([
    { text: "0-9", read: "0-4" },
    { text: "5-9,1", read: "1" },
    { text: "x,1,-2,3-", read: "1" },
    { text: "4-2", read: "" },
  ])("$text with 5 completions is parsed as $read", ({ text, read }) => {
    expect(Indexes.parse(text, 5).toString()).toBe(read);
  });

  it("behave as sets of numbers", () => {
    const some = fc.array(fc.nat(30));
    fc.assert(
      fc.property(some, some, fc.nat(40), fc.nat(10), (left, right, probe, count) => {
        const [a, b] = [Indexes.of(left), Indexes.of(right)];
        const all = new Set([...left, ...right]);
        const free = Array.from({ length: 31 }, (_, index) => index).filter((index) => !all.has(index));
        expect(a.union(b).total).toBe(all.size);
        expect(a.union(b).has(probe)).toBe(all.has(probe));
        expect(a.common(b)).toBe([...new Set(left)].filter((index) => right.includes(index)).length);
        expect(a.union(b).missing(count, 31)).toEqual(free.slice(0, count));
        expect(Indexes.parse(a.toString(), 31).toString()).toBe(a.toString());
      }),
    );
  });
});
