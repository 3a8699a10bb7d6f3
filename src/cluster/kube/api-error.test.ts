import { describe, expect, test } from "vitest";
import {
  type ApiError,
  apiErrorFromStatus,
  isAlreadyExists,
  isConflict,
  isForbidden,
  isGone,
  isInvalid,
  isNotFound,
  isTimeout,
  isTooLargeResourceVersion,
  isTooManyRequests,
  isUnauthorized,
  isUnreachable,
  parseRetryAfter,
} from "./api-error.ts";

const guards = {
  isAlreadyExists,
  isConflict,
  isForbidden,
  isGone,
  isInvalid,
  isNotFound,
  isTimeout,
  isTooLargeResourceVersion,
  isTooManyRequests,
  isUnauthorized,
  isUnreachable,
};

function failure(code: number, reason?: string, details?: unknown): ApiError {
  return apiErrorFromStatus({ kind: "Status", status: "Failure", code, reason, message: "no", details });
}

describe("a failure is recognised by", () => {
  test.each<[string, ApiError, (keyof typeof guards)[]]>([
    ["404", failure(404, "NotFound"), ["isNotFound"]],
    ["409 Conflict", failure(409, "Conflict"), ["isConflict"]],
    ["409 AlreadyExists", failure(409, "AlreadyExists"), ["isAlreadyExists"]],
    ["410 Gone", failure(410, "Gone"), ["isGone"]],
    ["410 Expired", failure(410, "Expired"), ["isGone"]],
    ["410 alone", failure(410), ["isGone"]],
    ["reason Expired under another code", failure(500, "Expired"), ["isGone"]],
    ["403", failure(403, "Forbidden"), ["isForbidden"]],
    ["401", failure(401, "Unauthorized"), ["isUnauthorized"]],
    ["422", failure(422, "Invalid"), ["isInvalid"]],
    ["429", failure(429, "TooManyRequests"), ["isTooManyRequests"]],
    ["504", failure(504, "Timeout"), ["isTimeout"]],
    [
      "504 with its cause",
      failure(504, "Timeout", { causes: [{ reason: "ResourceVersionTooLarge" }] }),
      ["isTimeout", "isTooLargeResourceVersion"],
    ],
    ["500", failure(500, "InternalError"), []],
  ])("%s", (_, error, expected) => {
    const holding = Object.entries(guards).filter(([, guard]) => guard(error));
    expect(holding.map(([name]) => name)).toEqual(expected);
  });

  test("nothing, when it is not an ApiError", () => {
    expect(Object.values(guards).some((guard) => guard(new Error("404")))).toBe(false);
  });
});

describe("reading a response", () => {
  test("the HTTP status counts, not the code in the body", () => {
    expect(apiErrorFromStatus({ kind: "Status", code: 200 }, { code: 503 })).toMatchObject({
      code: 503,
      reason: "ServiceUnavailable",
    });
  });

  test("the beginning of a proxy's page is quoted", () => {
    const error = apiErrorFromStatus(`<html>${"x".repeat(1000)}`, { code: 502 });
    expect(error).toMatchObject({ code: 502, reason: "Unknown" });
    expect(error.message).toMatch(/^the server responded with 502: <html>x+$/);
    expect(error.message.length).toBeLessThan(250);
  });

  test("JSON of another kind is not read as a Status", () => {
    expect(apiErrorFromStatus({ code: 7, message: "hello" }, { code: 500 }).message).toBe(
      "the server responded with 500",
    );
  });

  test("the wait comes from the details if there is no header", () => {
    expect(failure(429, "TooManyRequests", { retryAfterSeconds: 3 }).retryAfterMs).toBe(3000);
  });
});

describe("Retry-After", () => {
  const now = Date.parse("2026-01-01T00:00:00Z");
  test.each<[string | undefined, number | undefined]>([
    [undefined, undefined],
    ["", undefined],
    ["soon", undefined],
    ["0", 0],
    ["2", 2000],
    ["-5", 0],
    ["Thu, 01 Jan 2026 00:00:07 GMT", 7000],
    ["Wed, 31 Dec 2025 00:00:00 GMT", 0],
  ])("%j is %j ms", (header, expected) => {
    expect(parseRetryAfter(header, now)).toBe(expected);
  });
});
