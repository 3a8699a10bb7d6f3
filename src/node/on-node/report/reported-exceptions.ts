import { mostExceptions, type ProfileStatus, type SettingException } from "../../../domain/node-tuning/api.ts";
import type { Repaired } from "../../engine/drift.ts";
import type { SettingReport } from "../../engine/engine.ts";
import type { Applied } from "../tune-outcome.ts";

type Report = Pick<ProfileStatus, "exceptions" | "exceptionsOmitted">;
type Found = Omit<SettingException, "since">;

const longestText = 256;
/** A task, an interrupt or a disk each: thousands of exceptions for one option would hide the others. */
const mostPerOption = 5;

const order: readonly SettingException["state"][] = ["Failed", "Changed", "Overridden", "Skipped", "Repaired"];

/**
 * The settings that are not as wanted, and those that another process had changed, for the Profile's status. One that was
 * reported before keeps its time, so that the report is the same as long as nothing changes.
 */
export function reportedExceptions(
  { report, drift }: Pick<Applied, "report" | "drift">,
  before: readonly SettingException[],
  now: string,
): Report {
  const known = new Map(before.map((one) => [identityOf(one), one.since]));
  const settings = new Map(report.settings.flatMap((one) => ("target" in one ? [[one.target, one] as const] : [])));
  const all = [...drift.map((one) => changed(one, settings.get(one.target))), ...report.settings.flatMap(excepted)];
  const perOption = new Map<string, number>();
  const listed = new Map<string, SettingException>();
  let omitted = 0;
  for (const one of order.flatMap((state) => all.filter((each) => each.state === state))) {
    const identity = identityOf(one);
    if (listed.has(identity)) continue;
    const option = JSON.stringify([one.unit, one.option, one.state]);
    const count = (perOption.get(option) ?? 0) + 1;
    perOption.set(option, count);
    if (count > mostPerOption || listed.size === mostExceptions) omitted++;
    else listed.set(identity, { ...one, since: known.get(identity) ?? now });
  }
  if (listed.size === 0) return {};
  return { exceptions: [...listed.values()], ...(omitted > 0 ? { exceptionsOmitted: omitted } : {}) };
}

/** What makes two exceptions the same one. The value that is found may change all the time. */
function identityOf({ unit, option, device = "", state, owner = "" }: Found): string {
  return JSON.stringify([unit, option, device, state, owner]);
}

/** Found by a drift check. The setting that it is about is reported as it was applied. */
function changed(
  { target, owner, from, expected, found, failed, waiting, waitMs }: Repaired,
  setting: SettingReport | undefined,
): Found {
  const about = setting ? aboutOf(setting) : { unit: owner, option: shortened(target), from: shortened(from) };
  const again = waitMs === undefined ? "" : `; it is set back again after ${waitMs / 1000} s at the earliest`;
  const isLost = failed !== undefined || waiting === true;
  const why = failed === undefined ? `another process changed it${again}` : `it cannot be set back: ${failed}`;
  return {
    ...about,
    state: isLost ? "Changed" : "Repaired",
    wanted: shortened(expected),
    found: shortened(found),
    message: shortened(why),
  };
}

function excepted(setting: SettingReport): Found[] {
  const about = aboutOf(setting);
  switch (setting.type) {
    case "failed":
      return [{ ...about, state: "Failed", message: shortened(setting.message) }];
    case "skipped":
      // Of information only: the node needs no such setting.
      return setting.level === "warning" ? [{ ...about, state: "Skipped", message: shortened(setting.message) }] : [];
    case "overridden": {
      const { by, value } = setting;
      const owner = by.owner ?? sysctlFile(by.from);
      // By another unit of the same profile: on purpose.
      if (owner === undefined) return [];
      return [{ ...about, state: "Overridden", wanted: shortened(value), found: shortened(by.value), owner }];
    }
    case "set":
    case "same":
      return [];
  }
}

function sysctlFile(from: string): string | undefined {
  return /^\/(etc|run)\/sysctl\./.test(from) ? shortened(from) : undefined;
}

function aboutOf({ unit, option, from, device }: SettingReport): Pick<Found, "unit" | "option" | "from" | "device"> {
  return {
    unit: shortened(unit),
    option: shortened(option),
    ...(from === "" ? {} : { from: shortened(from) }),
    ...(device === undefined ? {} : { device: shortened(device) }),
  };
}

function shortened(text: string): string {
  return text.length > longestText ? `${text.slice(0, longestText)}…` : text;
}
