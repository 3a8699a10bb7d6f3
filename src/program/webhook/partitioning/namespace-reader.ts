import { isNotFound } from "../../../cluster/kube/api-error.ts";
import type { Client } from "../../../cluster/kube/client.ts";
import { kinds } from "../../../cluster/kube/kinds.ts";
import { LinkedAbort } from "../../../cluster/kube/linked-abort.ts";
import type { Clock } from "../../../cluster/runtime/clock.ts";
import type { KubeObject } from "../../../language/object/meta.ts";

export interface NamespaceReaderOptions {
  readonly client: Client;
  readonly cached: (name: string) => KubeObject | undefined;
  readonly clock: Clock;
}

/** API servers wait 2 s for an answer: the rest is for the review itself. */
const readMs = 1200;
/** Reviews that need one more are refused: an API server that is slow to read gets no more load. */
const maxReads = 20;

/**
 * Namespaces from the cache; one that is not there was created a moment ago, and is read from the API server. Reviews of pods
 * in the same namespace share the read.
 */
export class NamespaceReader {
  readonly #options: NamespaceReaderOptions;
  readonly #reads = new Map<string, Promise<KubeObject | undefined>>();

  constructor(options: NamespaceReaderOptions) {
    this.#options = options;
  }

  /** Undefined if there is no such namespace. Rejects if that cannot be found out in time. */
  async find(name: string): Promise<KubeObject | undefined> {
    const found = this.#options.cached(name) ?? this.#reads.get(name);
    if (found) return found;
    if (this.#reads.size >= maxReads) throw new Error(`${maxReads} namespaces are being read already: retry`);
    const read = this.#read(name).finally(() => this.#reads.delete(name));
    this.#reads.set(name, read);
    return read;
  }

  async #read(name: string): Promise<KubeObject | undefined> {
    const { client, clock } = this.#options;
    const abort = new LinkedAbort(undefined);
    const cancel = clock.after(readMs, abort.abort);
    try {
      return await client.get(kinds.namespace, name, { signal: abort.signal });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      if (abort.aborted) throw new Error(`the API server did not answer within ${readMs} ms`, { cause: error });
      throw error;
    } finally {
      cancel();
    }
  }
}
