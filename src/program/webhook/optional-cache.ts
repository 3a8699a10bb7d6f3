import type { Informer } from "../../cluster/kube/cache.ts";
import type { Client, KindRef } from "../../cluster/kube/client.ts";
import { Discovery } from "../../cluster/kube/discovery.ts";
import { createInformer } from "../../cluster/kube/informer/informer.ts";
import type { KubeObject } from "../../language/object/meta.ts";
import { type Clock, pause, systemClock } from "../../cluster/runtime/clock.ts";
import { type Log, noLog } from "../../cluster/runtime/log/log.ts";
import type { Runnable } from "../../cluster/runtime/controller/runnable-group.ts";

export interface OptionalCacheOptions<T extends KubeObject> {
  readonly namespace?: string | undefined;
  readonly fieldSelector?: string | undefined;
  /** The part of an object that is kept in memory. */
  readonly project?: ((object: T) => T) | undefined;
  readonly clock?: Clock | undefined;
  readonly log?: Log | undefined;
}

/** How often discovery is asked for a missing kind. Kinds appear only when something is installed. */
const discoveryIntervalMs = 30_000;
const retryMs = 1000;

/** A cache of a kind that the cluster may lack, or get later. */
export class OptionalCache<T extends KubeObject = KubeObject> implements Runnable {
  readonly name: string;
  readonly #client: Client;
  readonly #kind: KindRef<T>;
  readonly #informer: Informer<T>;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #settled: Promise<void>;
  #settle: () => void = () => {};
  #isAbsent = false;

  constructor(client: Client, kind: KindRef<T>, options: OptionalCacheOptions<T> = {}) {
    const { clock = systemClock, log = noLog } = options;
    this.name = `cache of ${kind.plural}`;
    this.#client = client;
    this.#kind = kind;
    this.#informer = createInformer(client, kind, { ...options, clock });
    this.#clock = clock;
    this.#log = log;
    this.#settled = new Promise((resolve) => (this.#settle = resolve));
  }

  /** Whether the cache has synced, or the cluster lacks the kind. */
  get settled(): boolean {
    return this.#isAbsent || this.#informer.synced;
  }

  /** Resolves when it is settled for the first time. */
  whenSettled(): Promise<void> {
    return this.#settled;
  }

  /** Undefined if the cluster lacks the kind, or the cache has not synced yet. */
  get objects(): readonly T[] | undefined {
    return this.#informer.synced ? this.#informer.list() : undefined;
  }

  async run(signal: AbortSignal): Promise<void> {
    await this.#untilServed(signal);
    if (signal.aborted) return;
    this.#informer.whenSynced(signal).then(this.#settle, () => {});
    await this.#informer.run(signal);
  }

  async #untilServed(signal: AbortSignal): Promise<void> {
    const { apiVersion, kind } = this.#kind;
    while (!signal.aborted) {
      try {
        this.#isAbsent = !(await new Discovery(this.#client).kind(apiVersion, kind, { signal }));
        if (!this.#isAbsent) return;
        this.#settle();
        await pause(this.#clock, discoveryIntervalMs, signal);
      } catch (error) {
        if (!signal.aborted) this.#log.debug({ error, kind }, "discovery failed");
        await pause(this.#clock, retryMs, signal);
      }
    }
  }
}
