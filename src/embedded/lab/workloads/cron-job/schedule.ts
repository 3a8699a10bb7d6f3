import { parseDuration } from "../../../../language/schema/cel/time-value.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** A schedule without a time in so many years never has one: 30 February. */
const longestMs = 5 * 366 * 24 * hourMs;

const named: Readonly<Record<string, string>> = {
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
  "@monthly": "0 0 1 * *",
  "@weekly": "0 0 * * 0",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@hourly": "0 * * * *",
};
const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const days = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

/** The wall clock of a time zone. */
interface WallClock {
  readonly minute: number;
  readonly hour: number;
  readonly day: number;
  readonly month: number;
  readonly weekday: number;
}

export interface Schedule {
  /** The first time after this one; undefined if there is none. */
  readonly next: (after: number) => number | undefined;
}

/** A schedule that the API server has accepted: `MINUTE HOUR DAY MONTH WEEKDAY`, `@daily` or `@every 5m`. */
export function parseSchedule(text: string, timeZone?: string): Schedule {
  const zoned = /^(?:CRON_)?TZ=(\S+)\s+(.*)$/.exec(text);
  if (zoned) return parseSchedule(zoned[2] ?? "", zoned[1]);
  if (text.startsWith("@every ")) return everySo(text.slice("@every ".length));
  const [minute = "*", hour = "*", day = "*", month = "*", weekday = "*"] = (named[text] ?? text).trim().split(/\s+/);
  const minutes = numbers(minute, 0, 59);
  const hours = numbers(hour, 0, 23);
  const [dates, weekdays] = [numbers(day, 1, 31), numbers(weekday, 0, 6, days)];
  const allowed = numbers(month, 1, 12, months);
  const isAny = (field: string): boolean => /^[*?]/.test(field);
  const isDay = (clock: WallClock): boolean =>
    // As cron: if both are restricted, one of them is enough.
    isAny(day) || isAny(weekday)
      ? dates.has(clock.day) && weekdays.has(clock.weekday)
      : dates.has(clock.day) || weekdays.has(clock.weekday);
  const clockOf = clockIn(timeZone);
  return {
    next(after) {
      let time = (Math.floor(after / minuteMs) + 1) * minuteMs;
      for (const end = time + longestMs; time < end;) {
        const clock = clockOf(time);
        if (!allowed.has(clock.month) || !isDay(clock) || !hours.has(clock.hour))
          time += (60 - clock.minute) * minuteMs;
        else if (!minutes.has(clock.minute)) time += minuteMs;
        else return time;
      }
      return undefined;
    },
  };
}

/** The last time of a schedule in a span, searched from its end. */
export function lastBetween({ next }: Schedule, after: number, until: number): number | undefined {
  for (const window of [hourMs, 24 * hourMs, 32 * 24 * hourMs, longestMs]) {
    const from = Math.max(after, until - window);
    let found: number | undefined;
    for (let time = next(from); time !== undefined && time <= until; time = next(time)) found = time;
    if (found !== undefined || from === after) return found;
  }
  return undefined;
}

function everySo(text: string): Schedule {
  const ms = Math.max(1, Math.floor(Number(parseDuration(text)?.nanos ?? 0n) / 1e9)) * 1000;
  return { next: (after) => after + ms };
}

// The numbers of a field: `1-5`, `mon,wed`, `*/10`. Names count from the lowest number.
function numbers(field: string, low: number, high: number, names: readonly string[] = []): Set<number> {
  const numberOf = (text: string): number => {
    const index = names.indexOf(text.toLowerCase());
    return index >= 0 ? index + low : Number(text);
  };
  const found = new Set<number>();
  for (const range of field.split(",")) {
    const [span = "", step] = range.split("/");
    const [from = "", to] = span.split("-");
    const isAll = from === "*" || from === "?";
    const begin = isAll ? low : numberOf(from);
    const end = isAll || (to === undefined && step !== undefined) ? high : to === undefined ? begin : numberOf(to);
    for (let number = begin; number <= end; number += Number(step ?? 1)) found.add(number);
  }
  return found;
}

function clockIn(timeZone: string | undefined): (time: number) => WallClock {
  if (timeZone === undefined || timeZone === "UTC")
    return (time) => {
      const date = new Date(time);
      return {
        minute: date.getUTCMinutes(),
        hour: date.getUTCHours(),
        day: date.getUTCDate(),
        month: date.getUTCMonth() + 1,
        weekday: date.getUTCDay(),
      };
    };
  const format = new Intl.DateTimeFormat("en", {
    timeZone,
    hourCycle: "h23",
    minute: "numeric",
    hour: "numeric",
    day: "numeric",
    month: "numeric",
    weekday: "short",
  });
  return (time) => {
    const part = Object.fromEntries(format.formatToParts(time).map(({ type, value }) => [type, value]));
    return {
      minute: Number(part["minute"]),
      hour: Number(part["hour"]),
      day: Number(part["day"]),
      month: Number(part["month"]),
      weekday: days.indexOf((part["weekday"] ?? "").slice(0, 3).toLowerCase()),
    };
  };
}
