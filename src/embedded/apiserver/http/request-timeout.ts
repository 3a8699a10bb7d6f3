import { parseDuration } from "../../../language/schema/cel/time-value.ts";
import { longestWriteMs } from "../request/context.ts";
import { badRequest } from "../status-error.ts";
import type { RequestInfo } from "./request-info.ts";

/** Subresources without a time limit, kube-apiserver's long-running requests. */
const longRunning = new Set(["attach", "exec", "log", "portforward", "proxy"]);

/** How long a request may take; the client can shorten it with `timeout`. */
export function requestTimeout(info: RequestInfo, query: URLSearchParams): number {
  const text = query.get("timeout");
  if (!text || isLongRunning(info)) return longestWriteMs;
  const given = parseDuration(text);
  if (!given) throw badRequest(`invalid timeout specified in the request URL - time: ${fault(text)}`);
  const ms = Number(given.nanos) / 1e6;
  return ms > 0 ? Math.min(ms, longestWriteMs) : longestWriteMs;
}

function isLongRunning(info: RequestInfo): boolean {
  return info.type === "resource" && (info.verb === "watch" || longRunning.has(info.subresource));
}

/** The message of Go's time.ParseDuration. */
function fault(text: string): string {
  const [, unit] = /^[+-]?(?:[0-9]+(?:[nuµμm]?s|m|h))*[0-9]+([^0-9.]*)/.exec(text) ?? [];
  const why =
    unit === undefined ? "invalid" : unit === "" ? "missing unit in" : `unknown unit ${JSON.stringify(unit)} in`;
  return `${why} duration ${JSON.stringify(text)}`;
}
