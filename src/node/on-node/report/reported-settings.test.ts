import { describe, expect, it, test } from "vitest";
import type { ProfileStatus } from "../../../domain/node-tuning/api.ts";
import type { Repaired } from "../../engine/drift.ts";
import type { SettingReport } from "../../engine/engine.ts";
import { reportedSettings } from "./reported-settings.ts";

const about = { unit: "sysctl", option: "vm.x", from: "p/tuned.conf:2" };
const target = "/proc/sys/vm/x";
const set: SettingReport = { ...about, type: "set", target, value: "1", before: "0" };
const same: SettingReport = { ...about, type: "same", target, value: "1" };

function reportOf(
  settings: readonly SettingReport[],
  drift: readonly Repaired[] = [],
): Pick<ProfileStatus, "settings" | "settingsOmitted"> {
  return reportedSettings({ report: { settings, restored: [] }, drift });
}

const named = { unit: "sysctl", option: "vm.x" };
const by = { unit: "late", option: "vm.x", from: "p/tuned.conf:9", value: "2" };

test.each<[string, SettingReport, object]>([
  ["a value that was set", set, { state: "AsWanted", value: "1" }],
  ["a value that was there", same, { state: "AsWanted", value: "1" }],
  [
    "a failure",
    { ...about, type: "failed", message: "no such file", device: "sda" },
    { state: "Failed", message: "no such file", device: "sda" },
  ],
  [
    "a setting without a target",
    { ...about, type: "skipped", level: "info", message: "no devices" },
    { state: "Skipped", message: "no devices" },
  ],
  [
    "a setting that a later section overrides",
    { ...about, type: "overridden", target, value: "1", by },
    { state: "Different", value: "2", message: "set by [late] vm.x (p/tuned.conf:9)" },
  ],
  [
    "a setting that another owner holds",
    { ...about, type: "overridden", target, value: "1", by: { ...by, option: "", owner: "perftune" } },
    { state: "Different", value: "2", message: "held by perftune" },
  ],
])("%s", (_, setting, expected) => {
  expect(reportOf([setting])).toEqual({ settings: [{ ...named, ...expected }] });
});

it("a value that cannot be set back is the one on the node", () => {
  const drift = { target, owner: "profile", from: "", expected: "1", found: "7", failed: "EROFS" };
  const message = "another process changed it, cannot be set back: EROFS";
  expect(reportOf([same], [drift])).toEqual({
    settings: [{ ...named, state: "Different", value: "7", message }],
  });
});

describe("the report of a node", () => {
  const tasks = (count: number, first: number): SettingReport[] =>
    Array.from({ length: count }, (_, i) => ({
      ...set,
      target: `task ${first + i}`,
      device: `ktimers (${first + i})`,
    }));

  it("stays the same while tasks come and go", () => {
    expect(reportOf(tasks(40, 100))).toEqual(reportOf(tasks(7, 900)));
  });

  it("with ten thousand settings is far below the limit of an object, and begins with what failed", () => {
    const settings = Array.from({ length: 10_000 }, (_, i): SettingReport => ({
      ...set,
      option: `vm.${i}`,
      value: "x".repeat(4000),
    }));
    const failed = { ...about, option: "vm.last", type: "failed", message: "é".repeat(9000) } as const;
    const report = reportOf([...settings, failed]);
    expect(Buffer.byteLength(JSON.stringify(report))).toBeLessThan(64 * 1024);
    expect(report.settings?.[0]).toMatchObject({ option: "vm.last", state: "Failed" });
    expect((report.settings?.length ?? 0) + (report.settingsOmitted ?? 0)).toBe(10_001);
  });

  it("lists only the first results of one option", () => {
    const failures = Array.from({ length: 3000 }, (_, i): SettingReport => ({
      ...about,
      type: "failed",
      message: `irq ${i}: EIO`,
    }));
    const { settings, settingsOmitted } = reportOf([...failures, { ...same, option: "vm.y" }]);
    expect([settings?.length, settingsOmitted, settings?.at(-1)?.option]).toEqual([6, 2995, "vm.y"]);
  });
});
