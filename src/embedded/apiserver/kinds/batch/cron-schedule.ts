import type { CronJobSpec } from "kubernetes-types/batch/v1.js";
import { parseDuration } from "../../../../language/schema/cel/time-value.ts";
import { type FieldError, invalid, required } from "../../../../language/schema/field-error.ts";

interface Part {
  readonly low: number;
  readonly high: number;
  /** Names of the numbers, starting with `low`. */
  readonly names?: readonly string[];
}

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const days = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

/** Minute, hour, day of the month, month, day of the week. */
const parts: readonly Part[] = [
  { low: 0, high: 59 },
  { low: 0, high: 23 },
  { low: 1, high: 31 },
  { low: 1, high: 12, names: months },
  { low: 0, high: 6, names: days },
];

const named = new Set(["@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"]);
const every = "@every ";
const spaces = /\s+/;

/** Why the text is not a schedule, worded as the library robfig/cron does; undefined if it is one. */
export function scheduleFault(text: string): string | undefined {
  const schedule = /^(?:CRON_)?TZ=/.test(text) ? text.slice(text.indexOf(" ")).trim() : text;
  if (schedule.startsWith("@")) return descriptorFault(schedule);
  const fields = schedule.split(spaces).filter((field) => field !== "");
  if (fields.length !== parts.length)
    return `expected exactly ${parts.length} fields, found ${fields.length}: [${fields.join(" ")}]`;
  for (const [index, part] of parts.entries())
    for (const range of (fields[index] ?? "").split(",")) {
      const fault = range === "" ? undefined : rangeFault(range, part);
      if (fault !== undefined) return fault;
    }
  return undefined;
}

function descriptorFault(text: string): string | undefined {
  if (named.has(text)) return undefined;
  if (!text.startsWith(every)) return `unrecognized descriptor: ${text}`;
  const length = text.slice(every.length);
  return parseDuration(length) ? undefined : `failed to parse duration ${text}: time: invalid duration "${length}"`;
}

/** `5`, `1-5` or `*`, with an optional step: `/2`. */
function rangeFault(range: string, part: Part): string | undefined {
  const [span = "", step, ...moreSteps] = range.split("/");
  const [from = "", to, ...moreEnds] = span.split("-");
  const isAll = from === "*" || from === "?";
  const start = isAll ? part.low : numberOf(from, part.names);
  if (typeof start === "string") return start;
  if (!isAll && moreEnds.length > 0) return `too many hyphens: ${range}`;
  const last = isAll ? part.high : to === undefined ? start : numberOf(to, part.names);
  if (typeof last === "string") return last;
  if (moreSteps.length > 0) return `too many slashes: ${range}`;
  const stride = step === undefined ? 1 : numberOf(step);
  if (typeof stride === "string") return stride;
  // A single number with a step is a range from there to the maximum.
  const end = step !== undefined && to === undefined ? part.high : last;
  if (start < part.low) return `beginning of range (${start}) below minimum (${part.low}): ${range}`;
  if (end > part.high) return `end of range (${end}) above maximum (${part.high}): ${range}`;
  if (start > end) return `beginning of range (${start}) beyond end of range (${end}): ${range}`;
  return stride === 0 ? `step of range should be a positive number: ${range}` : undefined;
}

/** The number, or why the text is not one. */
function numberOf(text: string, names: readonly string[] = []): number | string {
  const index = names.indexOf(text.toLowerCase());
  // Months count from one, days of the week from zero.
  if (index >= 0) return names === months ? index + 1 : index;
  if (!/^[+-]?\d+$/.test(text))
    return `failed to parse int from ${text}: strconv.Atoi: parsing "${text}": invalid syntax`;
  const value = Number(text);
  return value < 0 ? `negative number (${value}) not allowed: ${text}` : value;
}

export function validateSchedule({ schedule, timeZone }: CronJobSpec, zoneAllowed: boolean): FieldError[] {
  const at = "spec.schedule";
  if (schedule === "") return [required(at)];
  const fault = scheduleFault(schedule);
  const errors = fault === undefined ? [] : [invalid(at, schedule, fault)];
  if (!schedule.includes("TZ")) return errors;
  if (!zoneAllowed)
    errors.push(invalid(at, schedule, "cannot use TZ or CRON_TZ in schedule, use timeZone field instead"));
  else if (timeZone !== undefined)
    errors.push(invalid(at, schedule, "cannot use both timeZone field and TZ or CRON_TZ in schedule"));
  return errors;
}

const segment = /^(?!-)(?!\.\.?$)[A-Za-z.\-_0-9+]{1,14}$/;

export function validateTimeZone(zone: string | undefined): FieldError[] {
  const at = "spec.timeZone";
  if (zone === undefined) return [];
  if (zone === "") return [invalid(at, zone, "timeZone must be nil or non-empty string")];
  if (!zone.split("/").every((part) => segment.test(part))) return [invalid(at, zone, `unknown time zone ${zone}`)];
  if (zone === "Local")
    return [invalid(at, zone, "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones")];
  return isKnown(zone) ? [] : [invalid(at, zone, `unknown time zone ${zone}`)];
}

function isKnown(zone: string): boolean {
  // JavaScript accepts offsets as time zones, Go does not.
  if (zone.startsWith("+")) return false;
  try {
    return new Intl.DateTimeFormat("en", { timeZone: zone }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}
