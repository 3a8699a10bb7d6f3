import { isApiError, isGone, isTooLargeResourceVersion, isTooManyRequests, isUnreachable } from "../api-error.ts";

/** What a failed list or watch means for the next attempt. */
export type WatchFailure =
  /** The server no longer keeps the version to continue from, or never had it. */
  | { kind: "expired" }
  /** The server cannot stream initial events. */
  | { kind: "unsupported" }
  /** The server asked to retry later; the cache stays valid. */
  | { kind: "throttled"; afterMs: number }
  /** The server was not reached: its state is unknown. */
  | { kind: "unreachable" }
  | { kind: "failed" };

/** No bytes, event or bookmark for too long. */
export class SilentWatchError extends Error {
  constructor(limitMs: number) {
    super(`watch: no data for ${limitMs} ms`);
    this.name = "SilentWatchError";
  }
}

/** The stream ended without an error, but much earlier than the requested timeout. */
export class ShortWatchError extends Error {
  constructor() {
    super("watch: ended at once without an event");
    this.name = "ShortWatchError";
  }
}

/** A bookmark has an older version than one already seen: the server was restored from a backup, so the cache is invalid. */
export class RewoundServerError extends Error {
  constructor(seen: string, bookmark: string) {
    super(`watch: the server went back from version ${seen} to ${bookmark}`);
    this.name = "RewoundServerError";
  }
}

/** A plain bookmark came before the end of initial events: the server ignored `sendInitialEvents`. */
export class NoInitialEventsError extends Error {
  constructor() {
    super("watch: the server sends no initial events");
    this.name = "NoInitialEventsError";
  }
}

export function classifyFailure(error: unknown, { initial = false }: { initial?: boolean } = {}): WatchFailure {
  if (error instanceof RewoundServerError || isGone(error) || isTooLargeResourceVersion(error))
    return { kind: "expired" };
  if (initial && (error instanceof NoInitialEventsError || error instanceof SilentWatchError))
    return { kind: "unsupported" };
  if (initial && isApiError(error) && (error.code === 400 || error.code === 422)) return { kind: "unsupported" };
  if (isTooManyRequests(error)) return { kind: "throttled", afterMs: error.retryAfterMs ?? 0 };
  if (isUnreachable(error)) return { kind: "unreachable" };
  return { kind: "failed" };
}
