import { isApiError, isGone, isTooLargeResourceVersion, isTooManyRequests, isUnreachable } from "../api-error.ts";

/** What a broken list or watch means for the next try. */
export type WatchFailure =
  /** The version to continue from is not kept any more, or is not known to this server. */
  | { kind: "expired" }
  /** This server cannot stream initial events. */
  | { kind: "unsupported" }
  /** Come back later; what was seen stays valid. */
  | { kind: "throttled"; afterMs: number }
  /** Nothing was learnt about the server's state. */
  | { kind: "unreachable" }
  | { kind: "failed" };

/** No sign of life for too long. */
export class SilentWatchError extends Error {
  constructor(limitMs: number) {
    super(`watch: nothing heard for ${limitMs} ms`);
    this.name = "SilentWatchError";
  }
}

/** The stream ended in good order, but too early to be what the server was asked for. */
export class ShortWatchError extends Error {
  constructor() {
    super("watch: ended at once without an event");
    this.name = "ShortWatchError";
  }
}

/** Bookmarks of a version before the one already seen: the server was set back, and its events cannot be joined to ours. */
export class RewoundServerError extends Error {
  constructor(seen: string, told: string) {
    super(`watch: the server is at version ${told}, after ${seen} had been seen`);
    this.name = "RewoundServerError";
  }
}

/** A bookmark came where the end of initial events was due: the server overlooked that they were asked for. */
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
