import { describe, expect, it, test } from "vitest";
import { formatSetting, isCut, joinParts, messageAbout } from "./degraded-message.ts";

const swappiness = { unit: "sysctl", option: "vm.swappiness", from: "p/tuned.conf:3" };

test.each([
  [swappiness, "p/tuned.conf:3: vm.swappiness: no"],
  [{ ...swappiness, from: "" }, "vm.swappiness: no"],
  [{ ...swappiness, option: "" }, "p/tuned.conf:3: [sysctl]: no"],
])("the setting %j is written as %j", (place, expected) => {
  expect(formatSetting(place, "no")).toBe(expected);
});

describe("a message", () => {
  const other = { ...swappiness, option: "vm.dirty_ratio", from: "p/tuned.conf:4" };
  const text = joinParts([formatSetting(swappiness, "there is no such file"), formatSetting(other, "read-only")]);

  it("says what happened to each setting it names", () => {
    expect([messageAbout(swappiness, text), messageAbout(other, text)]).toEqual(["there is no such file", "read-only"]);
    expect(messageAbout({ ...other, from: "p/tuned.conf:5" }, text)).toBeUndefined();
  });

  it("is cut if it has too many parts, and each part if it is too long", () => {
    expect(isCut(text)).toBe(false);
    const long = joinParts(Array.from({ length: 100 }, () => "x".repeat(2000)));
    expect(long.length).toBeLessThan(20_000);
    expect(isCut(long)).toBe(true);
  });
});
