import type { Informer } from "../../cluster/kube/cache.ts";
import type { Client, KindRef } from "../../cluster/kube/client.ts";
import { Discovery } from "../../cluster/kube/discovery.ts";
import { createInformer } from "../../cluster/kube/informer/informer.ts";
import type { KubeObject } from "../../language/object/meta.ts";
import { type Clock, pause, systemClock } from "../../cluster/runtime/clock.ts";
import { type Log, noLog } from "../../cluster/runtime/log/log.ts";
import type { Runnable } from "../../cluster/runtime/controller/runnable-group.ts";

export interface OptionalCacheOptions<T extends KubeObject> {
  readonly namespace?: string;
  readonly fieldSelector?: string;
  /** What of an object is kept. */
  readonly project?: (object: T) => T;
  readonly clock?: Clock;
  readonly log?: Log;
}

/** Kinds come with an installation, not with the day's work. */
const lookEveryMs = 30_000;
const tryAgainMs = 1000;

/** A cache of a kind that the cluster may lack, or be given later. */
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

  /** Whether it is known what there is, be it nothing. */
  get settled(): boolean {
    return this.#isAbsent || this.#informer.synced;
  }

  /** Resolves when it is known for the first time. */
  whenSettled(): Promise<void> {
    return this.#settled;
  }

  /** Absent: the cluster has no such kind, or it is not known yet what there is of it. */
  get objects(): readonly T[] | undefined {
    return this.#informer.synced ? this.#informer.list() : undefined;
  }

  async run(signal: AbortSignal): Promise<void> {
    await this.#untilThere(signal);
    if (signal.aborted) return;
    this.#informer.whenSynced(signal).then(this.#settle, () => {});
    await this.#informer.run(signal);
  }

  async #untilThere(signal: AbortSignal): Promise<void> {
    const { apiVersion, kind } = this.#kind;
    while (!signal.aborted) {
      try {
        this.#isAbsent = !(await new Discovery(this.#client).kind(apiVersion, kind, { signal }));
        if (!this.#isAbsent) return;
        this.#settle();
        await pause(this.#clock, lookEveryMs, signal);
      } catch (error) {
        if (!signal.aborted) this.#log.debug({ error, kind }, "could not find out what kinds the cluster has");
        await pause(this.#clock, tryAgainMs, signal);
      }
    }
  }
}
