import { parseTime } from "../../object/time.ts";
import type { Tagged } from "./value.ts";

type Moment = Extract<Tagged, { nanos: bigint }>;

export const timestampOf = (nanos: bigint): Moment => ({ tag: "timestamp", nanos });
export const durationOf = (nanos: bigint): Moment => ({ tag: "duration", nanos });

const units: ReadonlyMap<string, bigint> = new Map([
  ["ns", 1n],
  ["us", 1_000n],
  ["µs", 1_000n],
  ["μs", 1_000n],
  ["ms", 1_000_000n],
  ["s", 1_000_000_000n],
  ["m", 60_000_000_000n],
  ["h", 3_600_000_000_000n],
]);
const durationPart = /(\d*)(?:\.(\d*))?(ns|us|µs|μs|ms|s|m|h)/y;

/** Go's `1h30m`. */
export function parseDuration(text: string): Moment | undefined {
  if (text.length > 100) return undefined;
  const negative = text.startsWith("-");
  let at = negative || text.startsWith("+") ? 1 : 0;
  if (text.slice(at) === "0") return durationOf(0n);
  if (at === text.length) return undefined;
  let nanos = 0n;
  while (at < text.length) {
    durationPart.lastIndex = at;
    const part = durationPart.exec(text);
    if (!part || (part[1] === "" && !part[2])) return undefined;
    const [whole, digits = "", fraction = "", unit = ""] = part;
    const scale = units.get(unit) ?? 0n;
    const kept = fraction.slice(0, 15);
    nanos += BigInt(digits || "0") * scale + (BigInt(kept || "0") * scale) / 10n ** BigInt(kept.length);
    at += whole.length;
  }
  return durationOf(negative ? -nanos : nanos);
}

export function parseTimestamp(text: string): Moment | undefined {
  const ms = parseTime(text);
  if (ms === undefined) return undefined;
  const fraction = /[.,](\d+)/.exec(text)?.[1] ?? "";
  return timestampOf(BigInt(ms) * 1_000_000n + BigInt(fraction.slice(3, 9).padEnd(6, "0")));
}

const billion = 1_000_000_000n;

/** `1.5s`, as CEL prints a duration. */
export function showDuration(nanos: bigint): string {
  return `${decimal(nanos)}s`;
}

export function showTimestamp(nanos: bigint): string {
  const within = ((nanos % billion) + billion) % billion;
  const seconds = new Date(Number((nanos - within) / 1_000_000n)).toISOString().slice(0, 19);
  const fraction = within === 0n ? "" : `.${within.toString().padStart(9, "0").replace(/0+$/, "")}`;
  return `${seconds}${fraction}Z`;
}

function decimal(nanos: bigint): string {
  const size = nanos < 0n ? -nanos : nanos;
  const fraction = size % billion === 0n ? "" : `.${(size % billion).toString().padStart(9, "0").replace(/0+$/, "")}`;
  return `${nanos < 0n ? "-" : ""}${size / billion}${fraction}`;
}

/** The local date at an offset from UTC such as `+01:00`; undefined if the zone is unknown. */
export function dateIn(nanos: bigint, zone: string): Date | undefined {
  const ms = Number(nanos / 1_000_000n);
  if (zone === "" || zone === "UTC") return new Date(ms);
  const offset = /^([+-]?)(\d{2}):(\d{2})$/.exec(zone);
  if (!offset) return undefined;
  const minutes = Number(offset[2]) * 60 + Number(offset[3]);
  return new Date(ms + (offset[1] === "-" ? -minutes : minutes) * 60_000);
}
