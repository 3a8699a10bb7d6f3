import { isApiError, isTimeout, isTooManyRequests, isUnreachable } from "../../../cluster/kube/api-error.ts";
import type { Client } from "../../../cluster/kube/client.ts";
import { type Clock, pause } from "../../../cluster/runtime/clock.ts";

export interface Patience {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Called once for each time that the API server is away. */
  readonly waiting: (text: string) => void;
}

const patienceMs = 60_000;
const againMs = 500;

/**
 * Repeats requests while an API server that has answered before is away, as when it restarts. Only for requests that may be
 * repeated: those of `uninstall` find out what is left to do.
 */
export function patientClient(client: Client, { clock, signal, waiting }: Patience): Client {
  let hasAnswered = false;
  const repeated = async <T>(request: () => Promise<T>): Promise<T> => {
    const began = clock.monotonic();
    for (let tries = 1; ; tries++)
      try {
        const answer = await request();
        hasAnswered = true;
        return answer;
      } catch (error) {
        hasAnswered ||= !isAway(error);
        if (!hasAnswered || !isAway(error) || signal.aborted || clock.monotonic() - began > patienceMs) throw error;
        if (tries === 1) waiting(`waiting for the API server, for at most ${patienceMs / 1000} s`);
        await pause(clock, againMs, signal);
      }
  };
  return {
    get: (of, name, options) => repeated(() => client.get(of, name, options)),
    list: (of, options) => repeated(() => client.list(of, options)),
    create: (of, object, options) => repeated(() => client.create(of, object, options)),
    update: (of, object, options) => repeated(() => client.update(of, object, options)),
    patch: (of, name, patch, options) => repeated(() => client.patch(of, name, patch, options)),
    delete: (of, name, options) => repeated(() => client.delete(of, name, options)),
    raw: (method, path, body, options) => repeated(() => client.raw(method, path, body, options)),
    // Informers begin again by themselves.
    watch: (of, options) => client.watch(of, options),
  };
}

function isAway(error: unknown): boolean {
  return (
    isUnreachable(error) ||
    isTimeout(error) ||
    isTooManyRequests(error) ||
    // The server ends, or has not begun.
    (isApiError(error) && error.code === 503)
  );
}
