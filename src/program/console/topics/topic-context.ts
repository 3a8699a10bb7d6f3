import type { Source } from "../../../../console/protocol/frames.ts";
import type { RowOf, TopicName } from "../../../../console/protocol/topics.ts";
import type { Informer } from "../../../cluster/kube/cache.ts";
import type { HttpClient } from "../../../cluster/kube/http-client.ts";
import type { Clock } from "../../../cluster/runtime/clock.ts";
import { errorText } from "../../../cluster/runtime/error-text.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import type { TopicTable } from "../stream/topic-table.ts";
import type { CacheDefinition, UserCaches } from "../user-caches.ts";

/** One cluster, with the rights of one user. */
export interface UserCluster {
  readonly name: string;
  readonly client: HttpClient;
  readonly caches: UserCaches;
}

/** How a topic computes its rows. It runs while a page watches it, and a while longer. */
export interface TopicDefinition {
  readonly open: (context: TopicContext<never>) => void;
}

interface TopicContextInput {
  readonly argument: string;
  readonly own: UserCluster;
  readonly clusters: ReadonlyMap<string, UserCluster>;
  readonly table: TopicTable;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** What a topic works with. */
export class TopicContext<Name extends TopicName> {
  /** What stands after the slash of the topic's name: `worker-17` of `node/worker-17`. */
  readonly argument: string;
  /** The cluster that the page shows. */
  readonly own: UserCluster;
  /** All clusters of this console, by name. */
  readonly clusters: ReadonlyMap<string, UserCluster>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly #table: TopicTable;
  readonly #waitsFor = new Set<string>();
  readonly #onSettled: (() => void | Promise<void>)[] = [];

  constructor({ argument, own, clusters, table, clock, signal }: TopicContextInput) {
    this.argument = argument;
    this.own = own;
    this.clusters = clusters;
    this.clock = clock;
    this.signal = signal;
    this.#table = table;
    // A topic that waits for nothing has all its rows once it is open.
    queueMicrotask(() => void this.#settle());
  }

  get client(): HttpClient {
    return this.own.client;
  }

  /** A cache that follows the server. The page learns how the server answers: refused, not served, failed. */
  cache<T extends KubeObject, P extends KubeObject = T>(
    definition: CacheDefinition<T, P>,
    { cluster = this.own, source = definition.kind.kind }: { cluster?: UserCluster; source?: string } = {},
  ): Informer<P> {
    this.#waitsFor.add(source);
    return cluster.caches.use(definition, this.signal, (state) => this.setSource(source, state));
  }

  /** How the server answers for a kind. */
  stateOf(source: string): Source["state"] | undefined {
    return this.#table.sources.get(source)?.state;
  }

  /** For what a topic reads without a cache. */
  setSource(source: string, state: Source): void {
    this.#table.setSource(source, state);
    if (state.state === "loading") this.#waitsFor.add(source);
    else this.#waitsFor.delete(source);
    // Not at once: a cache says that it is ready a moment before it has delivered the last objects of its list.
    if (this.#waitsFor.size === 0) queueMicrotask(() => void this.#settle());
  }

  set(key: string, row: RowOf<Name> | undefined): void {
    this.#table.set(key, row);
  }

  /** These rows and no others. */
  replace(rows: ReadonlyMap<string, RowOf<Name>>): void {
    this.#table.replace(rows);
  }

  /** Calls when every cache so far has been listed, was refused, is not served or has failed. */
  whenSettled(call: () => void | Promise<void>): void {
    this.#onSettled.push(call);
    if (this.#waitsFor.size === 0) queueMicrotask(() => void this.#settle());
  }

  /**
   * Calls `compute` once the caches have settled, and again after their objects have changed, at most ten times a second and
   * for a fifth of the time. A call that rejects is reported as a source that failed, and is tried again with the next change.
   */
  follow(caches: readonly Pick<Informer, "subscribe">[], compute: () => void | Promise<void>): void {
    const state = { isDue: false, isRunning: false, isSettled: false, tookMs: 0 };
    const run = async (): Promise<void> => {
      state.isRunning = true;
      state.isDue = false;
      const began = this.clock.monotonic();
      try {
        await compute();
        this.#table.setSource("rows", { state: "ready" });
      } catch (error) {
        if (!this.signal.aborted) this.#table.setSource("rows", { state: "failed", message: errorText(error) });
      }
      state.isRunning = false;
      state.tookMs = this.clock.monotonic() - began;
      if (state.isDue) later();
    };
    const later = (): void => {
      if (this.signal.aborted) return;
      this.clock.after(Math.max(100, 4 * state.tookMs), () => {
        if (!this.signal.aborted) void run();
      });
    };
    const changed = (): void => {
      if (state.isDue || !state.isSettled) return;
      state.isDue = true;
      if (!state.isRunning) later();
    };
    const subscribed = caches.map((cache) => cache.subscribe(changed));
    this.signal.addEventListener("abort", () => subscribed.forEach((unsubscribe) => unsubscribe()), { once: true });
    this.whenSettled(() => {
      state.isSettled = true;
      return run();
    });
  }

  async #settle(): Promise<void> {
    if (this.#waitsFor.size > 0 || this.signal.aborted) return;
    await Promise.all(this.#onSettled.splice(0).map(async (call) => call()));
    // A call may have found that it needs more caches.
    if (this.#waitsFor.size === 0 && this.#onSettled.length === 0) this.#table.settle();
  }
}
