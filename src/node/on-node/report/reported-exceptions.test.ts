import { expect, it, test } from "vitest";
import { mostExceptions, type SettingException } from "../../../domain/node-tuning/api.ts";
import type { Repaired } from "../../engine/drift.ts";
import type { SettingReport } from "../../engine/engine.ts";
import { reportedExceptions } from "./reported-exceptions.ts";

const now = "2026-01-01T00:00:00Z";
const later = "2026-01-02T00:00:00Z";
const about = { unit: "sysctl", option: "vm.x", from: "p/tuned.conf:2" };
const target = "/proc/sys/vm/x";
const set: SettingReport = { ...about, type: "set", target, value: "1", before: "0" };
const failed: SettingReport = { ...about, type: "failed", message: "no such file", device: "sda" };
const drift: Repaired = { target, owner: "profile", from: "[sysctl] vm.x", expected: "1", found: "7" };

const of = (settings: readonly SettingReport[], repaired: readonly Repaired[] = [], before: SettingException[] = []) =>
  reportedExceptions({ report: { settings, restored: [] }, drift: repaired }, before, now);

test.each<[string, SettingReport[], Repaired[], Partial<SettingException>]>([
  ["a failure", [failed], [], { state: "Failed", message: "no such file", device: "sda" }],
  [
    "a change that is set back",
    [set],
    [drift],
    { state: "Repaired", wanted: "1", found: "7", message: "another process changed it" },
  ],
  [
    "a change that cannot be set back",
    [set],
    [{ ...drift, failed: "EROFS" }],
    { state: "Changed", wanted: "1", found: "7", message: "it cannot be set back: EROFS" },
  ],
  [
    "a change that waits to be set back",
    [set],
    [{ ...drift, waiting: true, waitMs: 2000 }],
    {
      state: "Changed",
      wanted: "1",
      found: "7",
      message: "another process changed it; it is set back again after 2 s at the earliest",
    },
  ],
  [
    "a sysctl file of the node",
    [{ ...about, type: "overridden", target, value: "1", by: { ...about, from: "/etc/sysctl.conf:3", value: "2" } }],
    [],
    { state: "Overridden", wanted: "1", found: "2", owner: "/etc/sysctl.conf:3" },
  ],
  [
    "another owner",
    [{ ...about, type: "overridden", target, value: "1", by: { ...about, value: "2", owner: "perftune" } }],
    [],
    { state: "Overridden", wanted: "1", found: "2", owner: "perftune" },
  ],
  [
    "an option without a matching device",
    [{ ...about, type: "skipped", level: "warning", message: "no matching devices available" }],
    [],
    { state: "Skipped", message: "no matching devices available" },
  ],
])("%s is an exception", (_, settings, repaired, expected) => {
  expect(of(settings, repaired)).toEqual({ exceptions: [{ ...about, ...expected, since: now }] });
});

test.each<[string, SettingReport]>([
  ["a value that was set", set],
  ["a value that was there", { ...about, type: "same", target, value: "1" }],
  ["what does not matter", { ...about, type: "skipped", level: "info", message: "SELinux is off" }],
  [
    "what a later section of the profile overrides",
    { ...about, type: "overridden", target, value: "1", by: { ...about, value: "2" } },
  ],
])("%s is none", (_, setting) => {
  expect(of([setting])).toEqual({});
});

it("of an owner whose settings the profile does not have is named by its target", () => {
  const [one] = of([], [{ ...drift, owner: "perftune" }]).exceptions ?? [];
  expect(one).toMatchObject({ unit: "perftune", option: target, from: "[sysctl] vm.x" });
});

it("keeps its time until its state is another", () => {
  const { exceptions: before = [] } = of([set, failed], [drift]);
  const again = (repaired: Repaired) =>
    reportedExceptions({ report: { settings: [failed, set], restored: [] }, drift: [repaired] }, before, later);
  expect(again(drift).exceptions).toEqual(before);
  expect(again({ ...drift, found: "8" }).exceptions?.map(({ since }) => since)).toEqual([now, now]);
  expect(again({ ...drift, failed: "EROFS" }).exceptions?.map(({ since }) => since)).toEqual([now, later]);
});

it("are limited, and those of one option do not hide others", () => {
  const disks = Array.from({ length: 100 }, (_, at) => ({ ...failed, device: `sd${at}` }));
  const options = Array.from({ length: 100 }, (_, at) => ({ ...failed, option: `o${at}` }));
  const few = of([...disks, { ...failed, option: "vm.y" }]);
  expect(few.exceptions?.map(({ option }) => option)).toEqual([...Array<string>(5).fill("vm.x"), "vm.y"]);
  expect(few.exceptionsOmitted).toBe(95);
  const many = of([...disks, ...options]);
  expect([many.exceptions?.length, many.exceptionsOmitted]).toEqual([mostExceptions, 200 - mostExceptions]);
  const long = of([{ ...failed, message: "x".repeat(5000) }]);
  expect(JSON.stringify(long).length).toBeLessThan(600);
});
