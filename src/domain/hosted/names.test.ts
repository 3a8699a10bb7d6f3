import fc from "fast-check";
import { expect, it } from "vitest";
import { byteLength } from "../../language/object/byte-length.ts";
import { dnsSubdomain } from "../../language/object/names.ts";
import { hashedProfileName, hostedTunedName, joinedName } from "./names.ts";

const part = fc
  .stringMatching(/^[a-z0-9]([-a-z0-9.]{0,80}[a-z0-9])?$/)
  .filter((name) => dnsSubdomain(name).length === 0);

it("joined names are valid and short enough, whatever is joined (hosted W-10)", () => {
  fc.assert(
    fc.property(part, part, fc.integer({ min: 20, max: 253 }), (base, suffix, max) => {
      const name = joinedName(base, suffix, max);
      expect(dnsSubdomain(name)).toEqual([]);
      expect(byteLength(name)).toBeLessThanOrEqual(max);
    }),
  );
});

it.each([
  ["that would begin with a dash", "perfprof-long", "n".repeat(53), /^perfprof-long-[0-9a-f]{8}$/],
  [
    "of which a dot would be left at the end",
    `${"a".repeat(40)}.${"b".repeat(30)}`,
    "np-123456789",
    /^a{40}-[0-9a-f]{8}-np-/,
  ],
])("a name %s is cut elsewhere (hosted W-10)", (_, base, suffix, expected) => {
  expect(joinedName(base, suffix, 63)).toMatch(expected);
});

it("names in the hosted cluster have the hash of their NodePool", () => {
  expect(hostedTunedName("hugepages", "hugepages-example")).toBe("hugepages-8dfb1fed");
  expect(hashedProfileName("perf", "np1")).toBe("perf-566a8046");
  expect(hashedProfileName("p".repeat(60), "np1")).toHaveLength(63);
});
