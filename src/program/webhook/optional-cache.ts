import type { Informer } from "../../cluster/kube/cache.ts";
import type { Client, KindRef } from "../../cluster/kube/client.ts";
import { createInformer } from "../../cluster/kube/informer/informer.ts";
import { ServedKind } from "../../cluster/kube/informer/served-kind.ts";
import { untilCached } from "../../cluster/kube/informer/until-cached.ts";
import { LinkedAbort } from "../../cluster/kube/linked-abort.ts";
import { type KubeObject, parseApiVersion } from "../../language/object/meta.ts";
import { type Clock, systemClock } from "../../cluster/runtime/clock.ts";
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

/** A cache of a kind that the cluster may lack, get later, or lose. Kinds of the core group are always there. */
export class OptionalCache<T extends KubeObject = KubeObject> implements Runnable {
  readonly name: string;
  readonly #create: () => Informer<T>;
  /** Undefined: the kind is always there. */
  readonly #custom: ServedKind | undefined;
  readonly #settled: Promise<void>;
  #settle: () => void = () => {};
  /** Undefined while the cluster lacks the kind. */
  #informer: Informer<T> | undefined;

  constructor(client: Client, kind: KindRef<T>, options: OptionalCacheOptions<T> = {}) {
    const { clock = systemClock, log = noLog } = options;
    this.name = `cache of ${kind.plural}`;
    this.#create = () => createInformer(client, kind, { ...options, clock });
    const onError = (error: unknown): void =>
      log.warn({ error, kind: kind.kind }, "cannot watch the CustomResourceDefinition");
    if (parseApiVersion(kind.apiVersion).group !== "")
      this.#custom = new ServedKind(client, kind, { clock, hooks: { onError } });
    this.#settled = new Promise((resolve) => (this.#settle = resolve));
  }

  /** Whether the cache has synced, or the cluster lacks the kind. */
  get settled(): boolean {
    return this.#informer ? this.#informer.synced : this.#isAbsent;
  }

  /** Resolves when it is settled for the first time. */
  whenSettled(): Promise<void> {
    return this.#settled;
  }

  /** Undefined if the cluster lacks the kind, or the cache has not synced yet. */
  get objects(): readonly T[] | undefined {
    return this.#informer?.synced ? this.#informer.list() : undefined;
  }

  /** Of the objects that have synced. */
  get(key: string): T | undefined {
    return this.#informer?.get(key);
  }

  async run(signal: AbortSignal): Promise<void> {
    if (!this.#custom) return this.#cache(signal);
    await Promise.all([this.#custom.informer.run(signal), this.#cacheWhileServed(this.#custom, signal)]);
  }

  get #isAbsent(): boolean {
    return this.#custom !== undefined && this.#custom.informer.synced && !this.#custom.isServed;
  }

  async #cacheWhileServed(custom: ServedKind, signal: AbortSignal): Promise<void> {
    const until = (condition: () => boolean, ending: AbortSignal): Promise<void> =>
      untilCached([custom.informer], condition, ending);
    await until(() => true, signal);
    if (this.#isAbsent) this.#settle();
    while (!signal.aborted) {
      await until(() => custom.isServed, signal);
      if (signal.aborted) return;
      const served = new LinkedAbort(signal);
      void until(() => !custom.isServed, served.signal).then(served.abort);
      await this.#cache(served.signal);
    }
  }

  async #cache(signal: AbortSignal): Promise<void> {
    const informer = this.#create();
    this.#informer = informer;
    informer.whenSynced(signal).then(this.#settle, () => {});
    await informer.run(signal);
    this.#informer = undefined;
  }
}
