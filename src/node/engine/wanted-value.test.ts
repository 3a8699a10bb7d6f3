import { expect, test } from "vitest";
import { MemoryBase } from "../host/memory-base.ts";
import { MemoryHost } from "../host/memory-host.ts";
import type { Observe } from "./plugin.ts";
import { isAsWanted, wantedValue } from "./wanted-value.ts";

const file = "/proc/sys/vm/x";

function observing(purpose: Observe["purpose"], original?: string): Observe {
  return {
    host: new MemoryHost(new MemoryBase([])),
    purpose,
    original: () => original,
    profileDirectories: [],
    variables: new Map(),
    reapplySysctl: { enabled: false, exclude: [] },
    instance: 0,
  };
}

test.each([
  [">100", "65536", "65536"],
  [">100", "50", "100"],
  [">100", "100", "100"],
  ["<10", "60", "10"],
  ["<100", "60", "60"],
  [">99999999999999999999", "99999999999999999998", "99999999999999999999"],
  // As TuneD writes it (recorded case mod-16); the kernel ignores the blank.
  ["> 5", "3", " 5"],
  [">high", "60", ">high"],
  [">5", "low", ">5"],
  [">", "60", ">"],
  ["11", "60", "11"],
])("%j over an original %j writes %j", (value, original, expected) => {
  expect(wantedValue(value, file, "1", observing("apply", original))).toBe(expected);
});

test.each<[Observe["purpose"], string | undefined, string]>([
  ["apply", "3", "5"],
  ["apply", undefined, "8"],
  ["verify", "3", "8"],
])('to %s, ">5" where the original is %j and the file holds 8 means %j', (purpose, original, expected) => {
  expect(wantedValue(">5", file, "8", observing(purpose, original))).toBe(expected);
});

test.each<[string, string, Observe["purpose"], boolean]>([
  ["|/bin/x", "/bin/x", "verify", true],
  ["|/bin/x", "/bin/x", "apply", false],
  ["0", "", "verify", true],
  ["0", "", "apply", false],
  ["010", "10", "apply", true],
])("%j is what a file with %j needs to %s: %j", (wanted, found, purpose, expected) => {
  expect(isAsWanted(wanted, found, { purpose })).toBe(expected);
});
