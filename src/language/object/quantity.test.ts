import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  addQuantities,
  approximately,
  canonicalQuantity,
  compareQuantities,
  formatQuantity,
  integerOf,
  isQuantity,
  parseQuantity,
  roundUpQuantity,
} from "./quantity.ts";

describe("the canonical form of a quantity", () => {
  it.each([
    ["0.1", "100m"],
    ["1024Mi", "1Gi"],
    ["1500m", "1500m"],
    ["1.5Gi", "1536Mi"],
    ["1000", "1k"],
    ["1000k", "1M"],
    ["0", "0"],
    ["0Ki", "0"],
    [".", "0"],
    ["1E", "1E"],
    ["10E", "10E"],
    ["1e3", "1e3"],
    ["1e30", "1e30"],
    ["1e19", "10e18"],
    ["12.5e6", "12500e3"],
    ["1e-3", "1e-3"],
    ["-1.5Gi", "-1536Mi"],
    ["0.5Ki", "512"],
    ["0.5Mi", "512Ki"],
    ["0.3Ki", "307200m"],
    ["0.001Ki", "1024m"],
    ["1023Ki", "1023Ki"],
    ["1536Ki", "1536Ki"],
    ["2048", "2048"],
    ["9223372036854775808", "9223372036854775808"],
    ["16Ei", "9223372036854775807"],
    ["7Ei", "7Ei"],
    ["1.0", "1"],
    ["100000m", "100"],
    ["0.0000000001", "1n"],
    ["-0.1n", "-1n"],
    ["5000P", "5E"],
    ["3.141592653589793238462643", "3141592654n"],
  ])("of %s is %s", (text, expected) => {
    expect(canonicalQuantity(text)).toBe(expected);
  });

  it.each(["", "1.2.3", "1i", "1K", "1KI", "1_0", "1e3m", "1e", "1e1000000000", " 1", "9".repeat(300)])(
    "does not exist for %j",
    (text) => {
      expect(isQuantity(text)).toBe(false);
    },
  );

  it("means the same amount as what was written, and is its own canonical form", () => {
    const suffix = fc.constantFrom(
      "n",
      "u",
      "m",
      "",
      "k",
      "M",
      "G",
      "T",
      "P",
      "Ki",
      "Mi",
      "Gi",
      "Ti",
      "e3",
      "E-2",
      "e12",
    );
    const written = fc
      .tuple(fc.integer(), fc.integer({ min: 0, max: 9999 }), suffix)
      .map(([whole, fraction, unit]) => `${whole}.${fraction}${unit}`);
    fc.assert(
      fc.property(written, (text) => {
        const once = canonicalQuantity(text);
        expect(canonicalQuantity(once)).toBe(once);
        expect(compareQuantities(parseQuantity(once), parseQuantity(text))).toBe(0);
      }),
    );
  });
});

describe("arithmetic on quantities", () => {
  it("compares across suffixes", () => {
    expect(compareQuantities(parseQuantity("1Gi"), parseQuantity("1G"))).toBe(1);
    expect(compareQuantities(parseQuantity("100m"), parseQuantity("0.1"))).toBe(0);
    expect(compareQuantities(parseQuantity("-1"), parseQuantity("1n"))).toBe(-1);
  });

  it("adds, rounds up and converts", () => {
    expect(formatQuantity(addQuantities(parseQuantity("512Mi"), parseQuantity("512Mi")))).toBe("1Gi");
    expect(formatQuantity(roundUpQuantity(parseQuantity("1n"), -3))).toBe("1m");
    expect(formatQuantity(roundUpQuantity(parseQuantity("-1n"), -3))).toBe("-1m");
    expect(integerOf(parseQuantity("2Ki"))).toBe(2048n);
    expect(integerOf(parseQuantity("1500m"))).toBeUndefined();
    expect(integerOf(parseQuantity("1e19"))).toBeUndefined();
    expect(approximately(parseQuantity("250m"))).toBe(0.25);
  });
});
