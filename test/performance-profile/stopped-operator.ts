import type { Client } from "../../src/cluster/kube/client.ts";
import type { Clock } from "../../src/cluster/runtime/clock.ts";
import { runOperator } from "../../src/program/operator/operator.ts";
import type { KindRef } from "../../src/language/object/meta.ts";

/** Whether the operator may be stopped after a write of this kind. */
export type Counts = (kind: string, subresource: string | undefined) => boolean;

export interface StoppedOperator {
  /** Resolves when it has stopped: after its write number `at`, or by `stop`. */
  readonly stopped: Promise<void>;
  readonly stop: () => Promise<void>;
  /** Whether it came as far as that write. */
  readonly reached: () => boolean;
}

/**
 * An operator that ends right after one of its writes, as if it were killed there: the writes are sent one after another, and
 * none follows.
 */
export function operatorUntil(
  client: Client,
  at: number,
  { counts = () => true, clock }: { readonly counts?: Counts; readonly clock?: Clock } = {},
): StoppedOperator {
  const end = new AbortController();
  const { signal } = end;
  let writes = 0;
  let last: Promise<unknown> = Promise.resolve();
  const write = <T>(kind: KindRef, subresource: string | undefined, send: () => Promise<T>): Promise<T> => {
    const sent = last.then(async () => {
      signal.throwIfAborted();
      const answer = await send();
      if (counts(kind.kind, subresource) && ++writes === at) end.abort();
      return answer;
    });
    last = sent.catch(() => undefined);
    return sent;
  };
  const counted: Client = {
    get: (...request) => client.get(...request),
    list: (...request) => client.list(...request),
    watch: (...request) => client.watch(...request),
    raw: (...request) => client.raw(...request),
    create: (kind, object, options) => write(kind, options?.subresource, () => client.create(kind, object, options)),
    update: (kind, object, options) => write(kind, options?.subresource, () => client.update(kind, object, options)),
    patch: (kind, name, patch, options) =>
      write(kind, options?.subresource, () => client.patch(kind, name, patch, options)),
    delete: (kind, name, options) => write(kind, undefined, () => client.delete(kind, name, options)),
  };
  const operator = { image: "", agentServiceAccount: "agent", version: "1", leaderElection: false };
  const stopped = runOperator({ client: counted, signal, clock, ...operator });
  return {
    stopped,
    stop: async () => {
      end.abort();
      await stopped;
    },
    reached: () => writes >= at,
  };
}
