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

/** Clients of a program that ends right after one of its writes, as if it were killed there: they send writes one after another. */
export class StopAtWrite {
  readonly #end = new AbortController();
  readonly #at: number;
  readonly #counts: Counts;
  #writes = 0;
  #last: Promise<unknown> = Promise.resolve();

  constructor(at: number, counts: Counts = () => true) {
    this.#at = at;
    this.#counts = counts;
  }

  /** Aborts after that write. */
  get signal(): AbortSignal {
    return this.#end.signal;
  }

  get isReached(): boolean {
    return this.#writes >= this.#at;
  }

  stop(): void {
    this.#end.abort();
  }

  client(client: Client): Client {
    const write = <T>(kind: KindRef, subresource: string | undefined, send: () => Promise<T>): Promise<T> =>
      this.#write(kind, subresource, send);
    return {
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
  }

  #write<T>(kind: KindRef, subresource: string | undefined, send: () => Promise<T>): Promise<T> {
    const sent = this.#last.then(async () => {
      this.signal.throwIfAborted();
      const answer = await send();
      if (this.#counts(kind.kind, subresource) && ++this.#writes === this.#at) this.stop();
      return answer;
    });
    this.#last = sent.catch(() => undefined);
    return sent;
  }
}

/** An operator that ends right after one of its writes: none follows. */
export function operatorUntil(
  client: Client,
  at: number,
  { counts, clock }: { readonly counts?: Counts; readonly clock?: Clock } = {},
): StoppedOperator {
  const life = new StopAtWrite(at, counts);
  const operator = { image: "", agentServiceAccount: "agent", version: "1", leaderElection: false };
  const stopped = runOperator({ client: life.client(client), signal: life.signal, clock, ...operator });
  return {
    stopped,
    stop: async () => {
      life.stop();
      await stopped;
    },
    reached: () => life.isReached,
  };
}
