import type { SettingReport } from "../../engine/engine.ts";

/** The reports on a profile in force after some of its settings were set again, or for the first time. */
export function mergeReports(
  before: readonly SettingReport[],
  now: readonly SettingReport[],
  gone: ReadonlySet<string>,
): SettingReport[] {
  const renewed = new Set(now.map(nameOf));
  // A unit with a setting has matching devices by now.
  const active = new Set(now.map(({ unit }) => unit));
  const isPast = (report: SettingReport): boolean =>
    renewed.has(nameOf(report)) ||
    (report.device !== undefined && gone.has(report.device)) ||
    (report.type === "skipped" && report.option === "" && active.has(report.unit));
  return [...before.filter((report) => !isPast(report)), ...now];
}

function nameOf(report: SettingReport): string {
  return JSON.stringify([report.unit, report.option, report.device, "target" in report ? report.target : ""]);
}
