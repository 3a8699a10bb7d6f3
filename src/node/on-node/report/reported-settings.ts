import type { ProfileStatus, ReportedSetting } from "../../../domain/node-tuning/api.ts";
import type { Repaired } from "../../engine/drift.ts";
import type { SettingReport } from "../../engine/engine.ts";
import type { Applied } from "../tune-outcome.ts";

type Report = Pick<ProfileStatus, "settings" | "settingsOmitted">;

/** An object holds about 1 MiB, and thousands of nodes have this list. */
const longestList = 48_000;
const longestText = 256;
/** A task, an interrupt or a disk each: thousands of results for one option. */
const mostPerOption = 5;

const order: readonly ReportedSetting["state"][] = ["Failed", "Different", "Skipped", "AsWanted"];

/**
 * The result of each setting, for the Profile's status: the same for the same values on the node, whether the agent has set
 * or found them. What does not fit is counted; settings that are as wanted are left out first.
 */
export function reportedSettings({ report, drift }: Pick<Applied, "report" | "drift">): Report {
  const lost = new Map(drift.filter(isLost).map((one) => [one.target, one]));
  const distinct = new Map<string, ReportedSetting>();
  const counts = new Map<string, number>();
  let omitted = 0;
  const results = report.settings.map((setting) => reported(setting, lost));
  for (const result of order.flatMap((state) => results.filter((one) => one.state === state))) {
    const { device: _, ...about } = result;
    const key = JSON.stringify(about);
    if (distinct.has(key)) continue;
    const option = JSON.stringify([result.unit, result.option]);
    const count = (counts.get(option) ?? 0) + 1;
    counts.set(option, count);
    if (count > mostPerOption) omitted++;
    else distinct.set(key, result);
  }
  const settings: ReportedSetting[] = [];
  let length = 0;
  for (const result of distinct.values()) {
    length += JSON.stringify(result).length;
    if (length <= longestList) settings.push(result);
    else omitted++;
  }
  return { settings, ...(omitted > 0 ? { settingsOmitted: omitted } : {}) };
}

function reported(setting: SettingReport, lost: ReadonlyMap<string, Repaired>): ReportedSetting {
  const about = { unit: shortened(setting.unit), option: shortened(setting.option) };
  const device = setting.device === undefined ? {} : { device: shortened(setting.device) };
  switch (setting.type) {
    case "set":
    case "same": {
      const change = lost.get(setting.target);
      if (!change) return { ...about, state: "AsWanted", value: shortened(setting.value) };
      const message = shortened(`another process changed it, ${whyLost(change)}`);
      return { ...about, state: "Different", value: shortened(change.found), message, ...device };
    }
    case "overridden": {
      const { by } = setting;
      const place = by.option === "" ? by.from : `[${by.unit}] ${by.option} (${by.from})`;
      const message = by.owner === undefined ? `set by ${place}` : `held by ${by.owner}`;
      return { ...about, state: "Different", value: shortened(by.value), message: shortened(message) };
    }
    case "skipped":
      return { ...about, state: "Skipped", message: shortened(setting.message), ...device };
    case "failed":
      return { ...about, state: "Failed", message: shortened(setting.message), ...device };
  }
}

function isLost({ failed, waiting }: Repaired): boolean {
  return failed !== undefined || waiting === true;
}

function whyLost({ failed, waitMs }: Repaired): string {
  if (failed !== undefined) return `cannot be set back: ${failed}`;
  return waitMs === undefined ? "not set back yet" : `set back again after ${waitMs / 1000} s at the earliest`;
}

function shortened(text: string): string {
  return text.length > longestText ? `${text.slice(0, longestText)}…` : text;
}
