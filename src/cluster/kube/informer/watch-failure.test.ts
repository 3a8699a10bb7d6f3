import { describe, expect, test } from "vitest";
import { ApiError, apiErrorFromStatus } from "../api-error.ts";
import {
  type WatchFailure,
  classifyFailure,
  NoInitialEventsError,
  RewoundServerError,
  ShortWatchError,
  SilentWatchError,
} from "./watch-failure.ts";

const status = (code: number, more = {}): ApiError => apiErrorFromStatus({ kind: "Status", code, ...more });
const reset = new ApiError({ code: 0, reason: "Unreachable", message: "reset" });

describe("a failed watch", () => {
  test.each<[string, unknown, WatchFailure, WatchFailure]>([
    ["410", status(410), { kind: "expired" }, { kind: "expired" }],
    ["Expired in the stream", status(500, { reason: "Expired" }), { kind: "expired" }, { kind: "expired" }],
    [
      "a version the server does not know yet",
      status(504, { details: { causes: [{ reason: "ResourceVersionTooLarge" }] } }),
      { kind: "expired" },
      { kind: "expired" },
    ],
    ["a server set back", new RewoundServerError("9", "3"), { kind: "expired" }, { kind: "expired" }],
    ["400", status(400), { kind: "failed" }, { kind: "unsupported" }],
    ["422", status(422), { kind: "failed" }, { kind: "unsupported" }],
    ["silence", new SilentWatchError(1), { kind: "failed" }, { kind: "unsupported" }],
    ["a plain bookmark", new NoInitialEventsError(), { kind: "failed" }, { kind: "unsupported" }],
    ["429", status(429), { kind: "throttled", afterMs: 0 }, { kind: "throttled", afterMs: 0 }],
    [
      "429 with a wait",
      status(429, { details: { retryAfterSeconds: 2 } }),
      { kind: "throttled", afterMs: 2000 },
      { kind: "throttled", afterMs: 2000 },
    ],
    ["a reset", reset, { kind: "unreachable" }, { kind: "unreachable" }],
    ["500", status(500), { kind: "failed" }, { kind: "failed" }],
    ["403", status(403), { kind: "failed" }, { kind: "failed" }],
    ["an early end", new ShortWatchError(), { kind: "failed" }, { kind: "failed" }],
  ])("by %s", (_, error, later, initial) => {
    expect(classifyFailure(error)).toEqual(later);
    expect(classifyFailure(error, { initial: true })).toEqual(initial);
  });
});
