import { keyOf, type KubeObject } from "../../../language/object/meta.ts";
import { type Clock, pause } from "../../runtime/clock.ts";
import { type Informer, isOlder } from "../cache.ts";
import { LinkedAbort } from "../linked-abort.ts";

export interface CurrentOptions {
  /** A new informer of the same objects, of which only names and versions are read. */
  readonly fresh: () => Informer;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** After so long the objects are listed again: one of them may be gone meanwhile. */
const againMs = 5_000;

/**
 * Resolves when a cache has everything that the server had at the time of the call, or the signal aborts. A replica that
 * begins to lead needs that: its watch may lag behind what the leader before it has written.
 */
export async function untilCurrent(cache: Informer, { fresh, clock, signal }: CurrentOptions): Promise<void> {
  while (!signal.aborted) {
    const missing = await versionsOf(fresh(), signal);
    if (await hasCaughtUp(cache, missing, { clock, signal })) return;
  }
}

async function versionsOf(fresh: Informer, signal: AbortSignal): Promise<Map<string, string>> {
  const stop = new LinkedAbort(signal);
  const running = fresh.run(stop.signal);
  try {
    await fresh.whenSynced(stop.signal);
    return new Map(fresh.list().map((object) => [keyOf(object), versionOf(object)]));
  } finally {
    stop.abort();
    await running;
  }
}

/** False: not within `againMs`. */
async function hasCaughtUp(
  cache: Informer,
  missing: Map<string, string>,
  { clock, signal }: Pick<CurrentOptions, "clock" | "signal">,
): Promise<boolean> {
  const timeout = new LinkedAbort(signal);
  const forget = cache.subscribe(({ type, object }) => {
    const version = missing.get(keyOf(object));
    if (version !== undefined && (type === "deleted" || !isOlder(versionOf(object), version)))
      missing.delete(keyOf(object));
    if (missing.size === 0) timeout.abort();
  });
  if (missing.size > 0) await pause(clock, againMs, timeout.signal);
  timeout.abort();
  forget();
  return missing.size === 0;
}

function versionOf({ metadata }: KubeObject): string {
  return metadata.resourceVersion ?? "";
}
