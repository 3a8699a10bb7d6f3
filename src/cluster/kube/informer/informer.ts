import { deepFreeze } from "../../../language/object/json.ts";
import { type KubeObject, keyOf } from "../../../language/object/meta.ts";
import type { CacheEvent, Informer } from "../cache.ts";
import type { KindRef } from "../client.ts";
import { type IndexFunction, IndexedStore } from "./indexed-store.ts";
import { type ListerWatcher, type ReflectorOptions, type ReflectorSink, Reflector } from "./reflector.ts";

export interface InformerOptions<T extends KubeObject, P extends KubeObject = T> extends ReflectorOptions {
  /** Returns the part of an object to cache; undefined: not cached. Runs once for each version of an object. */
  project?: ((object: T) => P | undefined) | undefined;
  indexes?: Readonly<Record<string, IndexFunction<P>>> | undefined;
  /** Freezes cached objects, for tests: changing a shared object then fails at that line. */
  freeze?: boolean | undefined;
  /** Called when a handler throws; the other handlers get the event all the same. Without it the error ends the process. */
  onHandlerError?: ((error: unknown) => void) | undefined;
}

/** A cached object with the metadata that `project` may drop. */
interface Entry<P> {
  key: string;
  uid: string;
  resourceVersion: string;
  object: P;
}

/** An object that `project` does not cache has only a key. */
type Reflected<P> = Entry<P> | { readonly key: string; readonly object: undefined };

const isCached = <P>(entry: Reflected<P>): entry is Entry<P> => entry.object !== undefined;

/** Keeps a cache of one kind's objects equal to the server's, and emits an event for each change. */
export function createInformer<T extends KubeObject, P extends KubeObject = T>(
  client: ListerWatcher,
  of: KindRef<T>,
  options: InformerOptions<T, P> = {},
): Informer<P> {
  return new ReflectingInformer(client, of, options);
}

/** Of one object. Rights that are limited to its name allow it. */
export function informerOfOne<T extends KubeObject, P extends KubeObject = T>(
  client: ListerWatcher,
  of: KindRef<T>,
  { name, ...options }: InformerOptions<T, P> & { readonly name: string },
): Informer<P> {
  return createInformer(client, of, { ...options, fieldSelector: `metadata.name=${name}` });
}

class ReflectingInformer<T extends KubeObject, P extends KubeObject>
  implements Informer<P>, ReflectorSink<T, Reflected<P>>
{
  readonly #options: InformerOptions<T, P>;
  readonly #reflector: Reflector<T, Reflected<P>>;
  readonly #store: IndexedStore<P>;
  readonly #entries = new Map<string, Entry<P>>();
  readonly #handlers = new Set<{ handle: (event: CacheEvent<P>) => void }>();
  readonly #waiting = new Set<{ resolve: () => void; reject: (reason: unknown) => void }>();
  #synced = false;
  #running = false;

  constructor(client: ListerWatcher, of: KindRef<T>, options: InformerOptions<T, P>) {
    this.#options = options;
    this.#store = new IndexedStore(options.indexes);
    this.#reflector = new Reflector(client, of, this, options);
  }

  get synced(): boolean {
    return this.#synced;
  }

  get(key: string): P | undefined {
    return this.#store.get(key);
  }

  list(): readonly P[] {
    return this.#store.list();
  }

  byIndex(index: string, value: string): readonly P[] {
    return this.#store.byIndex(index, value);
  }

  async whenSynced(signal?: AbortSignal): Promise<void> {
    if (this.#synced) return;
    signal?.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const onAbort = (): void => settle(() => reject(signal?.reason as Error));
      const settle = (how: () => void): void => {
        this.#waiting.delete(waiter);
        signal?.removeEventListener("abort", onAbort);
        how();
      };
      const waiter = {
        resolve: () => settle(resolve),
        reject: (reason: unknown) => settle(() => reject(reason)),
      };
      this.#waiting.add(waiter);
      signal?.addEventListener("abort", onAbort, { once: true });
    });
  }

  subscribe(handle: (event: CacheEvent<P>) => void): () => void {
    const handler = { handle };
    for (const object of this.#store.list()) this.#call(handler, { type: "added", object });
    this.#handlers.add(handler);
    return () => void this.#handlers.delete(handler);
  }

  async run(signal: AbortSignal): Promise<void> {
    if (this.#running) throw new Error("run informer: it runs already");
    this.#running = true;
    try {
      await this.#reflector.run(signal);
    } finally {
      this.#running = false;
      for (const waiter of this.#waiting) waiter.reject(signal.reason);
    }
  }

  entry(object: T): Reflected<P> {
    const { project, freeze } = this.#options;
    const kept = project ? project(object) : (object as unknown as P);
    if (kept === undefined) return { key: keyOf(object), object: kept };
    return {
      key: keyOf(object),
      uid: object.metadata.uid ?? "",
      resourceVersion: object.metadata.resourceVersion ?? "",
      object: freeze ? deepFreeze(kept) : kept,
    };
  }

  keyOf(entry: Reflected<P>): string {
    return entry.key;
  }

  /** An object missing from the list was deleted while there was no watch. */
  replace(entries: ReadonlyMap<string, Reflected<P>>): void {
    for (const before of this.#entries.values()) if (!entries.get(before.key)?.object) this.#forget(before);
    for (const entry of entries.values()) if (isCached(entry)) this.#keep(entry);
    if (this.#synced) return;
    this.#synced = true;
    for (const waiter of this.#waiting) waiter.resolve();
  }

  apply(type: "ADDED" | "MODIFIED" | "DELETED", entry: Reflected<P>): void {
    const before = this.#entries.get(entry.key);
    if (type !== "DELETED" && isCached(entry)) this.#keep(entry);
    else if (before) this.#forget(isCached(entry) ? entry : before);
  }

  #keep(entry: Entry<P>): void {
    const { key, resourceVersion, object } = entry;
    let before = this.#entries.get(key);
    // Deleted and created again while there was no watch: handlers that clean up after the old object need its deletion.
    if (before && before.uid !== entry.uid) {
      this.#forget(before);
      before = undefined;
    }
    if (before && resourceVersion !== "" && before.resourceVersion === resourceVersion) return;
    this.#store.set(key, object);
    this.#entries.set(key, entry);
    this.#emit(before ? { type: "updated", object, before: before.object } : { type: "added", object });
  }

  /** `last` is the object of the deleted event: the final state if the server sent it, else the last cached one. */
  #forget(last: Entry<P>): void {
    this.#store.delete(last.key);
    this.#entries.delete(last.key);
    this.#emit({ type: "deleted", object: last.object });
  }

  #emit(event: CacheEvent<P>): void {
    // Copied: a handler that is subscribed during this loop already got the object as added.
    for (const handler of Array.from(this.#handlers)) if (this.#handlers.has(handler)) this.#call(handler, event);
  }

  #call({ handle }: { handle: (event: CacheEvent<P>) => void }, event: CacheEvent<P>): void {
    try {
      handle(event);
    } catch (error) {
      const { onHandlerError } = this.#options;
      if (onHandlerError) onHandlerError(error);
      else
        queueMicrotask(() => {
          throw error;
        });
    }
  }
}
