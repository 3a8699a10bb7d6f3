import type { SettingReport } from "../../engine/engine.ts";

/**
 * The reports on a profile in force after some of its settings were set again, or for the first time. Those of tasks are left
 * out: tasks come and go, and the report would grow with them.
 */
export function mergeReports(
  before: readonly SettingReport[],
  now: readonly SettingReport[],
  gone: ReadonlySet<string>,
): SettingReport[] {
  const lasting = now.filter((report) => !isOfTask(report));
  const renewed = new Set(lasting.map(nameOf));
  // A unit with a setting has matching devices by now.
  const active = new Set(lasting.map(({ unit }) => unit));
  const isPast = (report: SettingReport): boolean =>
    renewed.has(nameOf(report)) ||
    (report.device !== undefined && gone.has(report.device)) ||
    (report.type === "skipped" && report.option === "" && active.has(report.unit));
  return [...before.filter((report) => !isPast(report)), ...lasting];
}

function nameOf(report: SettingReport): string {
  return JSON.stringify([report.unit, report.option, report.device, "target" in report ? report.target : ""]);
}

/** `mydb (500)`: its name and number. */
function isOfTask({ device = "" }: SettingReport): boolean {
  return / \([0-9]+\)$/.test(device);
}
