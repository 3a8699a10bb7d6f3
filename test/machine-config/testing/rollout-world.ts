import { ApiError } from "../../../src/cluster/kube/api-error.ts";
import type { CacheEvent, Informer } from "../../../src/cluster/kube/cache.ts";
import type { Client, KindRef, Patch } from "../../../src/cluster/kube/client.ts";
import { untilCurrent } from "../../../src/cluster/kube/informer/until-current.ts";
import type { Controller } from "../../../src/cluster/runtime/controller/controller.ts";
import { VirtualClock } from "../../../src/cluster/runtime/testing/virtual-clock.ts";
import type { MachineConfig, MachineConfigPool } from "../../../src/domain/machine-config/api.ts";
import { renderPool } from "../../../src/domain/machine-config/render-pool.ts";
import { drainController } from "../../../src/domain/rollout/drain/drain-controller.ts";
import { NodeWriter } from "../../../src/domain/rollout/node-writer-controller.ts";
import { rolloutController } from "../../../src/domain/rollout/rollout-controller.ts";
import { projectRolloutNode, type RolloutNode } from "../../../src/domain/rollout/rollout-node.ts";
import { equal, type Json } from "../../../src/language/object/json.ts";
import { keyOf, type KubeObject } from "../../../src/language/object/meta.ts";
import type { PlannedEvent } from "../../../src/language/object/plan.ts";
import { formatTime } from "../../../src/language/object/time.ts";
import { applyMergePatch } from "../../../src/language/patch/merge-patch.ts";
import { sha256 } from "../parity.ts";

export type WorldInformer<T extends KubeObject> = Informer<T> & { stop(): void };

/** The objects of one kind, as a server has them. */
export class Collection<T extends KubeObject> {
  readonly objects = new Map<string, T>();
  readonly #watchers = new Set<(event: CacheEvent<T>) => void>();
  readonly #world: RolloutWorld;

  constructor(world: RolloutWorld) {
    this.#world = world;
  }

  put(object: T): T {
    const key = keyOf(object);
    const before = this.objects.get(key);
    const { creationTimestamp = formatTime(this.#world.clock.now()) } = before?.metadata ?? object.metadata;
    const after = { ...object, metadata: { ...object.metadata, uid: key, creationTimestamp, resourceVersion: "" } };
    if (before && equal({ ...before, metadata: { ...before.metadata, resourceVersion: "" } }, after)) return before;
    after.metadata.resourceVersion = this.#world.nextVersion();
    this.objects.set(key, after);
    this.#notify(before ? { type: "updated", object: after, before } : { type: "added", object: after });
    return after;
  }

  create(object: T): T {
    const key = keyOf(object);
    if (this.objects.has(key)) throw new ApiError({ code: 409, reason: "AlreadyExists", message: `${key} exists` });
    return this.put(object);
  }

  update(object: T): T {
    this.#at(keyOf(object), object.metadata.resourceVersion);
    return this.put(object);
  }

  patch(key: string, patch: unknown): T {
    const before = this.#at(key, (patch as Partial<KubeObject>).metadata?.resourceVersion);
    return this.put(applyMergePatch(before as unknown as Json, patch as Json) as unknown as T);
  }

  /** The object, if it is of this version, where one is given. */
  #at(key: string, version: string | undefined): T {
    const found = this.objects.get(key);
    if (!found) throw notFound(key);
    if (version && version !== found.metadata.resourceVersion)
      throw new ApiError({ code: 409, reason: "Conflict", message: `${key} has changed` });
    return found;
  }

  delete(key: string): void {
    const object = this.objects.get(key);
    this.objects.delete(key);
    if (object) this.#notify({ type: "deleted", object });
  }

  watch(handler: (event: CacheEvent<T>) => void): () => void {
    this.#watchers.add(handler);
    return () => this.#watchers.delete(handler);
  }

  /** A cache that learns of each change after a while, in order. */
  informer(lagMs: () => number, project: (object: T) => T = (object) => object): WorldInformer<T> {
    const cached = new Map([...this.objects].map(([key, object]) => [key, project(object)]));
    const handlers = new Set<(event: CacheEvent<T>) => void>();
    let last = 0;
    const stop = this.watch((event) => {
      const { clock } = this.#world;
      last = Math.max(last, clock.monotonic() + lagMs());
      clock.after(last - clock.monotonic(), () => {
        const object = project(event.object);
        const before = cached.get(keyOf(object));
        if (event.type === "deleted") cached.delete(keyOf(object));
        else cached.set(keyOf(object), object);
        const seen: CacheEvent<T> =
          event.type === "updated" && before
            ? { type: "updated", object, before }
            : ({ type: event.type, object } as CacheEvent<T>);
        for (const handler of handlers) handler(seen);
      });
    });
    return {
      stop,
      synced: true,
      whenSynced: async () => {},
      run: async (signal) => signal.addEventListener("abort", stop),
      get: (key) => cached.get(key),
      list: () => [...cached.values()],
      byIndex: () => [],
      subscribe: (handler) => {
        handlers.add(handler);
        for (const object of cached.values()) handler({ type: "added", object });
        return () => handlers.delete(handler);
      },
    };
  }

  #notify(event: CacheEvent<T>): void {
    for (const watcher of this.#watchers) watcher(event);
  }
}

function notFound(name: string): ApiError {
  return new ApiError({ code: 404, reason: "NotFound", message: `${name} not found`, details: { name } });
}

export interface WorldCaches {
  readonly pools: WorldInformer<MachineConfigPool>;
  readonly machineConfigs: WorldInformer<MachineConfig>;
  readonly nodes: WorldInformer<RolloutNode>;
}

/** A server without a network, operators that can be killed, and time that the test moves. */
export class RolloutWorld {
  readonly clock = new VirtualClock();
  readonly nodes = new Collection<RolloutNode>(this);
  readonly pools = new Collection<MachineConfigPool>(this);
  readonly machineConfigs = new Collection<MachineConfig>(this);
  /** On every node. */
  pods: readonly KubeObject[] = [];
  readonly events: PlannedEvent[] = [];
  /** Called before and after each write is carried out. */
  writing: (when: "before" | "after") => void = () => {};
  /** How the next request fails; `late`: after it was carried out. */
  fault: () => { readonly code: number; readonly late?: boolean } | undefined = () => undefined;
  readonly #lagMs: () => number;
  #version = 0;

  constructor(lagMs: () => number = () => 0) {
    this.#lagMs = lagMs;
  }

  nextVersion(): string {
    return String(++this.#version);
  }

  /** Starts the controllers of an operator; the returned function kills them, whatever they are doing. */
  operator(): () => void {
    return this.standby()();
  }

  /** A replica that keeps caches. The returned function makes it lead, see `operator`. */
  standby(nodesLagMs = this.#lagMs): () => () => void {
    const caches = {
      pools: this.pools.informer(this.#lagMs),
      machineConfigs: this.machineConfigs.informer(this.#lagMs),
      nodes: this.nodes.informer(nodesLagMs, projectRolloutNode),
    };
    return () => this.#lead(caches);
  }

  #lead(caches: WorldCaches): () => void {
    let isAlive = true;
    const controllers = this.controllers(
      this.#client(() => isAlive),
      caches,
    );
    const stop = new AbortController();
    for (const controller of controllers) void controller.run(stop.signal);
    return () => {
      isAlive = false;
      stop.abort();
      for (const cache of Object.values(caches)) cache.stop();
    };
  }

  /** Those of an operator. */
  protected controllers(client: Client, caches: WorldCaches): readonly Controller[] {
    const { clock } = this;
    const recorder = { record: (event: PlannedEvent): void => void this.events.push(event) };
    const common = { client, clock, recorder, writer: new NodeWriter(client, caches.nodes) };
    const boot = { tuneds: [], poolsOf: new Map<string, string[]>(), pools: [], orphaned: [] };
    return [
      rolloutController({
        ...common,
        caches,
        render: (pool, machineConfigs, current) =>
          renderPool({ pool, machineConfigs, current, version: "1", digest: sha256 }),
        awaited: () => ({ boot, kubeletConfigs: [] }),
        awaitedSources: [],
        untilCurrent: async (signal) => {
          const { pools, machineConfigs, nodes } = caches;
          await untilCurrent(pools, { fresh: () => this.pools.informer(() => 0), clock, signal });
          await untilCurrent(machineConfigs, { fresh: () => this.machineConfigs.informer(() => 0), clock, signal });
          await untilCurrent(nodes, { fresh: () => this.nodes.informer(() => 0), clock, signal });
        },
      }),
      drainController({ ...common, nodes: caches.nodes }),
    ];
  }

  protected collection({ kind }: KindRef): Collection<KubeObject> {
    return { Node: this.nodes, MachineConfigPool: this.pools, MachineConfig: this.machineConfigs }[kind] as never;
  }

  /** Requests take as long as events do. No request of a killed operator arrives. */
  #client(isAlive: () => boolean): Client {
    const of = (kind: KindRef): Collection<KubeObject> => this.collection(kind);
    const answer = async <T>(carryOut: () => T): Promise<T> => {
      await new Promise<void>((resolve) => this.clock.after(this.#lagMs(), resolve));
      if (!isAlive()) return new Promise(() => {});
      const fault = this.fault();
      const result = fault && !fault.late ? undefined : carryOut();
      if (fault) throw new ApiError({ code: fault.code, reason: "Unknown", message: "the test lets it fail" });
      return result as T;
    };
    const write = <T>(carryOut: () => T): Promise<T> =>
      answer(() => {
        this.writing("before");
        if (!isAlive()) throw new Error("the operator was killed");
        const result = carryOut();
        this.writing("after");
        return result;
      });
    return {
      get: (kind: KindRef, name: string) =>
        answer(() => {
          const found = of(kind).objects.get(name);
          if (!found) throw notFound(name);
          return found;
        }),
      list: ({ kind }: KindRef) => answer(() => ({ items: kind === "Pod" ? this.pods : [] })),
      create: (kind: KindRef, object: KubeObject) => write(() => of(kind).create(object)),
      update: (kind: KindRef, object: KubeObject) => write(() => of(kind).update(object)),
      patch: (kind: KindRef, name: string, patch: Patch) =>
        write(() => of(kind).patch(name, (patch as { patch: unknown }).patch)),
      delete: (kind: KindRef, name: string, { namespace }: { namespace?: string } = {}) =>
        write(() => of(kind).delete(namespace === undefined ? name : `${namespace}/${name}`)),
    } as unknown as Client;
  }
}
