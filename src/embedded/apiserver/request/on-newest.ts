import { StatusError } from "../status-error.ts";
import { StaleWriteError } from "../storage/object-store.ts";
import type { Entry } from "../storage/store.ts";
import { collectionFor, keyFor, type RequestContext } from "./context.ts";
import { newest } from "./get.ts";
import type { Turn } from "./fair-queue.ts";

/** Whether a write may wait for webhooks, so that another write can overtake it and it must be retried. */
export function mayWait({ services, resource, subresource }: RequestContext): boolean {
  if (resource.versions?.webhook) return true;
  return services.admission.mayWait({ operation: "UPDATE", resource, subresource });
}

/** How long an overtaken write waits for its turn; then it retries out of turn, and waits twice as long next time. */
const turnTimeoutMs = 1000;

/**
 * Runs a write on the newest version of the object. If another write overtakes it while admission waits, it is retried
 * on the newer version until the request's deadline. The first attempt never waits; a retry waits for its turn.
 */
export async function onNewest<T>(
  context: RequestContext,
  attempt: (live: Entry | undefined) => Promise<T>,
  {
    shown = true,
  }: { /** Whether `attempt` reads the object in the requested version. */ readonly shown?: boolean } = {},
): Promise<T> {
  const { services, resource } = context;
  const warnings = context.warnings.length;
  let turn: Turn | undefined;
  let timeoutMs = turnTimeoutMs;
  try {
    for (;;)
      try {
        const live = newest(context);
        const converting = live && shown ? services.views.ready([live], resource) : undefined;
        if (converting) await converting;
        return await attempt(live);
      } catch (error) {
        if (!(error instanceof StaleWriteError)) throw error;
        turn ??= services.writeQueue.join(`${collectionFor(context)}/${keyFor(context, context.name)}`);
        await turn.wait(Math.min(timeoutMs, leftOf(context)));
        timeoutMs *= 2;
        if (leftOf(context) <= 0) throw timedOut();
        context.warnings.length = warnings;
      }
  } finally {
    turn?.leave();
  }
}

function leftOf({ services, deadline = Infinity }: RequestContext): number {
  return deadline - services.clock.now();
}

function timedOut(): StatusError {
  const why = "Timeout: request did not complete within requested timeout - context deadline exceeded";
  return new StatusError(504, "Timeout", why, {});
}
