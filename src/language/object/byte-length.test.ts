import * as fc from "fast-check";
import { expect, it } from "vitest";
import { byteLength, runeLength } from "./byte-length.ts";

it("counts bytes and code points of any text, half surrogates too", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.constantFrom("", "\ud800", "\udc00"), (text, half) => {
      const whole = text + half;
      expect(byteLength(whole)).toBe(new TextEncoder().encode(whole).length);
      expect(runeLength(whole)).toBe(Array.from(whole).length);
    }),
  );
});
