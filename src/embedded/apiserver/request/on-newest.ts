import { StatusError } from "../status-error.ts";
import { StaleWriteError } from "../storage/object-store.ts";
import type { Entry } from "../storage/store.ts";
import { collectionFor, keyFor, type RequestContext } from "./context.ts";
import { newest } from "./get.ts";
import type { Turn } from "./fair-queue.ts";

/** Whether a write waits for others before it is done, so that it may have to be done again. */
export function mayWait({ services, resource, subresource }: RequestContext): boolean {
  if (resource.versions?.webhook) return true;
  return services.admission.mayWait({ operation: "UPDATE", resource, subresource });
}

/** How long an overtaken write lets others go before it; then it tries out of turn, and waits twice as long. */
const patienceMs = 1000;

/**
 * A write based on the newest version of the object. While admission waits, another may come between: then all of it is
 * done anew on what that one wrote, until the request is due. The first attempt waits for nobody; who was overtaken
 * waits for those who were before.
 */
export async function onNewest<T>(
  context: RequestContext,
  attempt: (live: Entry | undefined) => Promise<T>,
  { shown = true }: { /** Whether the object must be known in the version asked for. */ readonly shown?: boolean } = {},
): Promise<T> {
  const { services, resource } = context;
  const warnings = context.warnings.length;
  let turn: Turn | undefined;
  let patience = patienceMs;
  try {
    for (;;)
      try {
        const live = newest(context);
        const converting = live && shown ? services.views.ready([live], resource) : undefined;
        if (converting) await converting;
        return await attempt(live);
      } catch (error) {
        if (!(error instanceof StaleWriteError)) throw error;
        turn ??= services.turns.join(`${collectionFor(context)}/${keyFor(context, context.name)}`);
        await turn.comes(Math.min(patience, leftOf(context)));
        patience *= 2;
        if (leftOf(context) <= 0) throw timedOut();
        context.warnings.length = warnings;
      }
  } finally {
    turn?.end();
  }
}

function leftOf({ services, deadline = Infinity }: RequestContext): number {
  return deadline - services.clock.now();
}

function timedOut(): StatusError {
  const why = "Timeout: request did not complete within requested timeout - context deadline exceeded";
  return new StatusError(504, "Timeout", why, {});
}
