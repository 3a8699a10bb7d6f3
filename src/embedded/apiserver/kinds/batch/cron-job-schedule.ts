import type { CronJobSpec } from "kubernetes-types/batch/v1.js";
import { type FieldError, invalid, required } from "../../../../language/schema/field-error.ts";
import { scheduleFault } from "./cron-schedule.ts";

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
  // An offset is a zone to JavaScript alone.
  if (zone.startsWith("+")) return false;
  try {
    return new Intl.DateTimeFormat("en", { timeZone: zone }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}
