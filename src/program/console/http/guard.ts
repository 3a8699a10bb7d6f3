import type { IncomingHttpHeaders } from "node:http";

export interface GuardedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
}

export interface GuardRules {
  /** `http:` or `https:`, as browsers see it. */
  readonly protocol: "http:" | "https:";
  readonly port: number;
  /** Host names besides those of this machine, in lower case, each with its port if that is not the usual one. */
  readonly allowedHosts: readonly string[];
}

export interface Refusal {
  readonly code: 403 | 405 | 415 | 421;
  readonly reason: string;
}

const local = ["127.0.0.1", "localhost", "[::1]"];
const methods = ["GET", "HEAD", "POST", "PUT", "DELETE"];

/**
 * Whether a browser sent the request, from a page of this server. A page of another site can reach an address on 127.0.0.1: by
 * a name of its own that resolves to it, which the `Host` header shows; or by a request across sites, which `Origin` and
 * `Sec-Fetch-Site` show. There are no cookies, so such a request carries no session; it is refused all the same.
 */
export function refusalOf({ method, path, headers }: GuardedRequest, rules: GuardRules): Refusal | undefined {
  const host = headers.host?.toLowerCase() ?? "";
  if (!hostsOf(rules).includes(host)) return { code: 421, reason: "this server is not that host" };
  if (!methods.includes(method)) return { code: 405, reason: `${method} is not allowed` };
  const isApi = path === "/api" || path.startsWith("/api/");
  if (method === "GET" || method === "HEAD") {
    // Pages are opened from anywhere; their data is read by them alone. A GET of the own origin has no `Origin`.
    if (isApi && headers["sec-fetch-site"] !== "same-origin")
      return { code: 403, reason: "only pages of this server may read" };
    return undefined;
  }
  if (!isApi) return { code: 405, reason: `${method} is not allowed` };
  if (headers.origin?.toLowerCase() !== `${rules.protocol}//${host}`)
    return { code: 403, reason: "only pages of this server may write" };
  // A form of another site could send any other type without asking.
  if (method !== "DELETE" && headers["content-type"]?.split(";")[0]?.trim().toLowerCase() !== "application/json")
    return { code: 415, reason: "the content type must be application/json" };
  return undefined;
}

function hostsOf({ protocol, port, allowedHosts }: GuardRules): string[] {
  const isUsual = port === (protocol === "https:" ? 443 : 80);
  return [...local.flatMap((name) => [`${name}:${port}`, ...(isUsual ? [name] : [])]), ...allowedHosts];
}
