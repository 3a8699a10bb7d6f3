import { expect, it, test } from "vitest";
import { formatSetting, joinParts } from "./condition-message.ts";

const swappiness = { unit: "sysctl", option: "vm.swappiness", from: "p/tuned.conf:3" };

test.each([
  [swappiness, "p/tuned.conf:3: vm.swappiness: no"],
  [{ ...swappiness, from: "" }, "vm.swappiness: no"],
  [{ ...swappiness, option: "" }, "p/tuned.conf:3: [sysctl]: no"],
])("the setting %j is written as %j", (place, expected) => {
  expect(formatSetting(place, "no")).toBe(expected);
});

it("a message is cut if it has too many parts, and each part if it is too long", () => {
  expect(joinParts(["one", "two"])).toBe("one; two");
  const long = joinParts(Array.from({ length: 100 }, () => "x".repeat(2000)));
  expect(long.length).toBeLessThan(20_000);
  expect(long).toMatch(/…; and 85 more$/);
});
