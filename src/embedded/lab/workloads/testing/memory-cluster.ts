import { ApiError } from "../../../../cluster/kube/api-error.ts";
import type { CacheEvent, Informer } from "../../../../cluster/kube/cache.ts";
import type { Client, DeleteOptions, KindRef, Patch, WriteOptions } from "../../../../cluster/kube/client.ts";
import { type IndexFunction, IndexedStore } from "../../../../cluster/kube/informer/indexed-store.ts";
import { kinds } from "../../../../cluster/kube/kinds.ts";
import { equal, type Json } from "../../../../language/object/json.ts";
import { keyOf, type KubeObject } from "../../../../language/object/meta.ts";
import { formatTime } from "../../../../language/object/time.ts";
import { applyMergePatch } from "../../../../language/patch/merge-patch.ts";
import type { Clock } from "../../../../cluster/runtime/clock.ts";

/**
 * An API server in memory, with what workload controllers use of one. Its caches show a write at once; with `holdsBack`,
 * when `deliver` is called.
 */
export class MemoryCluster {
  readonly client: Client;
  /** `create pods a/b`, in order. */
  readonly writes: string[] = [];
  /** Called before each write. An error it throws is the answer, and the write is not done. */
  beforeWrite: (write: string) => void = () => {};
  /** Called after each write. An error it throws is the answer, though the write is done. */
  afterWrite: (write: string) => void = () => {};
  /** Whether caches wait for `deliver`. */
  holdsBack = false;
  readonly #clock: Clock;
  readonly #collections = new Map<string, Collection>();
  readonly #undelivered: (() => void)[] = [];
  #version = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.client = this.#newClient();
  }

  informer<T extends KubeObject>(
    of: KindRef<T>,
    indexes: Readonly<Record<string, IndexFunction<T>>> = {},
  ): Informer<T> & { cache: IndexedStore<T> } {
    return this.#collection(of).informer(indexes as never) as never;
  }

  /** Writes as another client: not in `writes`, and without its callbacks. */
  put<T extends KubeObject>(of: KindRef<T>, object: T): T {
    return this.#store(of, object);
  }

  remove(of: KindRef, key: string): void {
    this.#collection(of).objects.delete(key);
    this.#notify(() => this.#collection(of).forget(key));
  }

  get<T extends KubeObject>(of: KindRef<T>, key: string): T | undefined {
    return this.#collection(of).objects.get(key) as T | undefined;
  }

  list<T extends KubeObject>(of: KindRef<T>): T[] {
    return [...this.#collection(of).objects.values()] as T[];
  }

  deliver(): void {
    for (const notify of this.#undelivered.splice(0)) notify();
  }

  #collection(of: KindRef): Collection {
    let collection = this.#collections.get(of.plural);
    if (!collection) this.#collections.set(of.plural, (collection = new Collection()));
    return collection;
  }

  #store<T extends KubeObject>(of: KindRef, object: T): T {
    const { objects } = this.#collection(of);
    const key = keyOf(object);
    const before = objects.get(key);
    const version = String(++this.#version);
    const kept = {
      ...object,
      metadata: {
        ...object.metadata,
        uid: before?.metadata.uid ?? object.metadata.uid ?? `uid-${version}`,
        creationTimestamp: before?.metadata.creationTimestamp ?? formatTime(this.#clock.now()),
        generation: (before?.metadata.generation ?? 0) + (before && equal(before["spec"], object["spec"]) ? 0 : 1),
        resourceVersion: version,
      },
    };
    objects.set(key, kept);
    this.#notify(() => this.#collection(of).show(key, kept));
    return kept;
  }

  #notify(notify: () => void): void {
    if (this.holdsBack) this.#undelivered.push(notify);
    else notify();
  }

  #write<T>(write: string, work: () => T): T {
    this.beforeWrite(write);
    const answer = work();
    this.writes.push(write);
    this.afterWrite(write);
    return answer;
  }

  #found(of: KindRef, namespace: string | undefined, name: string): KubeObject {
    const key = namespace ? `${namespace}/${name}` : name;
    const found = this.#collection(of).objects.get(key);
    if (!found) throw refusal(404, "NotFound", `${of.plural} "${name}" not found`);
    return found;
  }

  #newClient(): Client {
    const create = (of: KindRef, object: KubeObject, options: WriteOptions & { name?: string } = {}): KubeObject => {
      const { namespace, subresource, name = object.metadata.name ?? "" } = options;
      if (subresource === "binding") return this.#bind(namespace ?? "", name, object);
      const named = name || `${object.metadata.generateName}${++this.#version}`;
      const whole = { ...object, metadata: { ...object.metadata, name: named, ...(namespace && { namespace }) } };
      return this.#write(`create ${of.plural} ${keyOf(whole)}`, () => {
        if (this.#collection(of).objects.has(keyOf(whole)))
          throw refusal(409, "AlreadyExists", `${of.plural} "${named}" already exists`);
        return this.#store(of, whole);
      });
    };
    const update = (of: KindRef, object: KubeObject, { namespace, subresource }: WriteOptions = {}): KubeObject => {
      const { name = "", resourceVersion } = object.metadata;
      const target = [of.plural, subresource].filter(Boolean).join("/");
      return this.#write(`update ${target} ${keyOf(object)}`, () => {
        const before = this.#found(of, namespace, name);
        if (resourceVersion && resourceVersion !== before.metadata.resourceVersion)
          throw refusal(409, "Conflict", `${of.plural} "${name}" has been modified`);
        return this.#store(of, subresource === "status" ? { ...before, status: object["status"] } : object);
      });
    };
    const patch = (of: KindRef, name: string, given: Patch, options: WriteOptions = {}): KubeObject => {
      const { namespace, subresource } = options;
      const target = [of.plural, subresource].filter(Boolean).join("/");
      return this.#write(`patch ${target} ${namespace ? `${namespace}/` : ""}${name}`, () => {
        const before = this.#found(of, namespace, name);
        if (given.type !== "strategic" && given.type !== "merge")
          throw new TypeError(`patch type ${given.type} is not supported`);
        return this.#store(of, applied(before, given.patch as Json, given.type === "strategic"));
      });
    };
    const remove = (of: KindRef, name: string, { namespace, preconditions }: DeleteOptions = {}): void =>
      this.#write(`delete ${of.plural} ${namespace ? `${namespace}/` : ""}${name}`, () => {
        const found = this.#found(of, namespace, name);
        if (preconditions?.uid && preconditions.uid !== found.metadata.uid)
          throw refusal(409, "Conflict", "another uid");
        this.remove(of, keyOf(found));
      });
    return {
      get: async (of: KindRef, name: string, options: { namespace?: string } = {}) =>
        this.#found(of, options.namespace, name),
      create: async (...given: Parameters<typeof create>) => create(...given),
      update: async (...given: Parameters<typeof update>) => update(...given),
      patch: async (...given: Parameters<typeof patch>) => patch(...given),
      delete: async (...given: Parameters<typeof remove>) => remove(...given),
    } as unknown as Client;
  }

  #bind(namespace: string, name: string, binding: KubeObject): KubeObject {
    return this.#write(`bind ${namespace}/${name}`, () => {
      const pod = this.#found(kinds.pod, namespace, name) as NonNullable<typeof kinds.pod.object>;
      if (pod.spec?.nodeName) throw refusal(409, "Conflict", `pod ${name} is already assigned`);
      const { target } = binding as unknown as { target: { name: string } };
      return this.#store(kinds.pod, { ...pod, spec: { ...pod.spec!, nodeName: target.name } });
    });
  }
}

class Collection {
  readonly objects = new Map<string, KubeObject>();
  readonly #informers: { cache: IndexedStore<KubeObject>; handlers: Set<(event: CacheEvent<KubeObject>) => void> }[] =
    [];

  informer(indexes: Readonly<Record<string, IndexFunction<KubeObject>>>): Informer {
    const cache = new IndexedStore(indexes);
    for (const [key, object] of this.objects) cache.set(key, object);
    const handlers = new Set<(event: CacheEvent<KubeObject>) => void>();
    this.#informers.push({ cache, handlers });
    return {
      synced: true,
      whenSynced: async () => {},
      run: async () => {},
      get: (key) => cache.get(key),
      list: () => cache.list(),
      byIndex: (index, value) => cache.byIndex(index, value),
      subscribe: (handler) => {
        for (const object of cache.list()) handler({ type: "added", object });
        handlers.add(handler);
        return () => void handlers.delete(handler);
      },
    };
  }

  show(key: string, object: KubeObject): void {
    for (const { cache, handlers } of this.#informers) {
      const before = cache.get(key);
      cache.set(key, object);
      for (const handle of handlers) handle(before ? { type: "updated", object, before } : { type: "added", object });
    }
  }

  forget(key: string): void {
    for (const { cache, handlers } of this.#informers) {
      const object = cache.get(key);
      cache.delete(key);
      if (object) for (const handle of handlers) handle({ type: "deleted", object });
    }
  }
}

/** Of strategic merge patches only the merge of conditions by type. */
function applied(before: KubeObject, patch: Json, strategic: boolean): KubeObject {
  const after = applyMergePatch(before as unknown as Json, patch) as unknown as KubeObject;
  if (!strategic) return after;
  const conditions = (object: unknown): { type: string }[] =>
    (object as { status?: { conditions?: { type: string }[] } }).status?.conditions ?? [];
  const changed = new Map(conditions(patch).map((condition) => [condition.type, condition]));
  if (changed.size === 0) return after;
  const merged = conditions(before).map((old) => {
    const one = changed.get(old.type);
    changed.delete(old.type);
    return one ? { ...old, ...one } : old;
  });
  return { ...after, status: { ...(after["status"] as object), conditions: [...merged, ...changed.values()] } };
}

function refusal(code: number, reason: string, message: string): ApiError {
  return new ApiError({ code, reason, message, details: { name: "" } });
}
