import { StatusError } from "../status-error.ts";
import { StaleWriteError } from "../storage/object-store.ts";
import type { Entry } from "../storage/store.ts";
import type { RequestContext } from "./context.ts";
import { newest } from "./get.ts";

/**
 * A write based on the newest version of the object. While admission waits, another may come between: then all of it is
 * done anew on what that one wrote, until the request is due.
 */
export async function onNewest<T>(
  context: RequestContext,
  attempt: (live: Entry | undefined) => Promise<T>,
): Promise<T> {
  const warnings = context.warnings.length;
  for (;;)
    try {
      return await attempt(newest(context));
    } catch (error) {
      if (!(error instanceof StaleWriteError)) throw error;
      if (context.services.clock.now() >= (context.deadline ?? Infinity)) throw timedOut();
      context.warnings.length = warnings;
    }
}

function timedOut(): StatusError {
  const why = "Timeout: request did not complete within requested timeout - context deadline exceeded";
  return new StatusError(504, "Timeout", why, {});
}
