import { describe, expect, it } from "vitest";
import { parseRequest } from "./request-info.ts";
import { requestTimeout } from "./request-timeout.ts";

function timeoutOf(path: string, timeout: string): number {
  const query = new URLSearchParams({ timeout });
  return requestTimeout(parseRequest("GET", path, query), query);
}

describe("how long a request may take", () => {
  it.each([
    ["1s", 1000],
    ["1m", 34_000],
    ["250ms", 250],
    ["0", 34_000],
    ["-5s", 34_000],
    ["", 34_000],
  ])("%s", (text, ms) => {
    expect(timeoutOf("/api/v1/pods", text)).toBe(ms);
  });

  it.each([
    ["soon", 'invalid duration "soon"'],
    ["30", 'missing unit in duration "30"'],
    ["5s5", 'missing unit in duration "5s5"'],
    ["5x", 'unknown unit "x" in duration "5x"'],
    ["5s5x6", 'unknown unit "x" in duration "5s5x6"'],
  ])("cannot be %s", (text, why) => {
    const message = `invalid timeout specified in the request URL - time: ${why}`;
    expect(() => timeoutOf("/version", text)).toThrow(message);
  });

  it.each(["/api/v1/namespaces/a/pods/p/log", "/api/v1/nodes/n/proxy/metrics"])("is not asked of %s", (path) => {
    expect(timeoutOf(path, "soon")).toBe(34_000);
  });
});
