const rfc3339 =
  /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:[.,](\d{1,9})\d{0,20})?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/;

/** Milliseconds since 1970 of an RFC 3339 time, or undefined. Microseconds are cut off. */
export function parseTime(text: string): number | undefined {
  const match = text.length <= 64 ? rfc3339.exec(text) : null;
  if (!match) return undefined;
  const [, year, month, day, hour, minute, second, fraction = "", sign, offsetHour = "0", offsetMinute = "0"] = match;
  if (+month! < 1 || +month! > 12 || +day! < 1 || +day! > daysIn(+year!, +month!)) return undefined;
  if (+hour! > 23 || +minute! > 59 || +second! > 59 || +offsetHour > 23 || +offsetMinute > 59) return undefined;
  const date = new Date(0);
  // Date.UTC would read the years 0 to 99 as 1900 to 1999.
  date.setUTCFullYear(+year!, +month! - 1, +day!);
  date.setUTCHours(+hour!, +minute!, +second!, Number(fraction.padEnd(3, "0").slice(0, 3)));
  const offset = (+offsetHour * 60 + +offsetMinute) * 60_000;
  return date.getTime() - (sign === "-" ? -offset : offset);
}

function daysIn(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

export function isTime(text: string): boolean {
  return parseTime(text) !== undefined;
}

/** `meta/v1` Time: whole seconds. */
export function formatTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

/** `meta/v1` MicroTime: six digits, of which we know three. */
export function formatMicroTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 23)}000Z`;
}

/** An age as `kubectl get` prints it: in two units for small amounts, in one for large ones. */
export function humanDuration(ms: number): string {
  const seconds = Math.trunc(ms / 1000);
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 10) return two(minutes, "m", seconds % 60, "s");
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  if (hours < 8) return two(hours, "h", minutes % 60, "m");
  if (hours < 48) return `${hours}h`;
  const days = Math.floor(hours / 24);
  if (hours < 192) return two(days, "d", hours % 24, "h");
  if (days < 730) return `${days}d`;
  const years = Math.floor(days / 365);
  return days < 2920 ? two(years, "y", days % 365, "d") : `${years}y`;
}

function two(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large}${largeUnit}` : `${large}${largeUnit}${small}${smallUnit}`;
}
