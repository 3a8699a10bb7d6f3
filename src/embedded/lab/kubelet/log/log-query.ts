import { parseTime } from "../../../../language/object/time.ts";
import type { LogLine } from "../container/container-log.ts";

/** The query of a log request: the options of `kubectl logs`. */
export interface LogQuery {
  readonly follow: boolean;
  readonly previous: boolean;
  readonly timestamps: boolean;
  readonly tailLines?: number | undefined;
  readonly limitBytes?: number | undefined;
  /** Wall time. */
  readonly since?: number | undefined;
}

/** Throws a RangeError that names the invalid parameter. */
export function readLogQuery(query: URLSearchParams, now: number): LogQuery {
  const tailLines = count(query, "tailLines");
  const limitBytes = count(query, "limitBytes");
  const sinceSeconds = count(query, "sinceSeconds");
  const sinceTime = query.get("sinceTime");
  const from = sinceTime ? parseTime(sinceTime) : undefined;
  if (sinceTime && from === undefined) throw new RangeError(`sinceTime: ${sinceTime} is not a time`);
  const since = sinceSeconds === undefined ? from : now - sinceSeconds * 1000;
  return {
    follow: isSet(query, "follow"),
    previous: isSet(query, "previous"),
    timestamps: isSet(query, "timestamps"),
    tailLines,
    limitBytes,
    since,
  };
}

function isSet(query: URLSearchParams, name: string): boolean {
  const value = query.get(name);
  return value !== null && value !== "false" && value !== "0";
}

function count(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null || text === "") return undefined;
  if (!/^[0-9]{1,15}$/.test(text)) throw new RangeError(`${name}: ${text} is not a number`);
  return Number(text);
}

export function selectLines(lines: readonly LogLine[], { since, tailLines }: LogQuery): readonly LogLine[] {
  const recent = since === undefined ? lines : lines.filter(({ at }) => at >= since);
  return tailLines === undefined ? recent : tailLines === 0 ? [] : recent.slice(-tailLines);
}

export function formatLine({ at, text }: LogLine, { timestamps }: LogQuery): string {
  return timestamps ? `${new Date(at).toISOString().slice(0, 23)}000000Z ${text}\n` : `${text}\n`;
}
