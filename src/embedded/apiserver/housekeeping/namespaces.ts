import type { KubeObject } from "../../../language/object/meta.ts";
import type { Log } from "../../../cluster/runtime/log/log.ts";
import { collectionOf } from "../registry.ts";
import type { Services } from "../request/context.ts";
import { draftOf } from "../request/draft.ts";
import type { Resource } from "../resource.ts";
import type { Change } from "../storage/store.ts";
import { deleteInBackground, writeInBackground } from "./server-writes.ts";

/** Deletes the contents of Terminating namespaces, then removes the namespaces. */
export class Namespaces {
  readonly #services: Services;
  readonly #log: Log;
  #terminating: ReadonlySet<string> = new Set();

  constructor(services: Services, log: Log) {
    this.#services = services;
    this.#log = log;
  }

  start(): () => void {
    const { store } = this.#services;
    const stops = [store.watch("namespaces", () => this.#reconcile())];
    const watched = new Set<string>();
    const watchContents = (): void => {
      for (const collection of this.#contents().keys()) {
        if (watched.has(collection)) continue;
        watched.add(collection);
        stops.push(store.watch(collection, (changes) => this.#contentChanged(changes)));
      }
    };
    watchContents();
    stops.push(store.watch("customresourcedefinitions.apiextensions.k8s.io", watchContents));
    this.#reconcile();
    return () => {
      for (const stop of stops) stop();
    };
  }

  /** The last object of a namespace may be gone, or a write may have overtaken the deletion. */
  #contentChanged(changes: readonly Change[]): void {
    if (this.#terminating.size === 0) return;
    if (changes.some(({ key }) => this.#terminating.has(key.slice(0, key.indexOf("/"))))) this.#reconcile();
  }

  #reconcile(): void {
    const terminating = this.#services.reader.list("namespaces").filter(({ metadata }) => metadata.deletionTimestamp);
    this.#terminating = new Set(terminating.map(nameOf));
    for (const namespace of terminating)
      try {
        this.#empty(namespace);
      } catch (error) {
        this.#log.error({ error, namespace: nameOf(namespace) }, "delete contents of namespace failed");
      }
  }

  #empty(namespace: KubeObject): void {
    const { store } = this.#services;
    let left = 0;
    for (const [collection, resource] of this.#contents())
      for (const entry of store.list(collection, `${nameOf(namespace)}/`)) {
        left++;
        deleteInBackground(this.#services, this.#log, resource, entry);
      }
    if (left === 0) this.#release(namespace);
  }

  /** Removes the finalizer `kubernetes`; other finalizers keep the namespace. */
  #release(namespace: KubeObject): void {
    const { store, registry, views } = this.#services;
    const resource = registry.find("", "v1", "namespaces") as Resource;
    const live = store.head("namespaces", nameOf(namespace));
    if (!live || String(live.revision) !== namespace.metadata.resourceVersion) return;
    const released = views.object(live, resource);
    const { finalizers = [] } = (released.spec ?? {}) as { finalizers?: string[] };
    const others = finalizers.filter((finalizer) => finalizer !== "kubernetes");
    released.spec = others.length > 0 ? { finalizers: others } : {};
    const draft = draftOf(released, resource);
    if (others.length === 0 && (released.metadata.finalizers?.length ?? 0) === 0)
      writeInBackground(this.#log, () => store.remove("namespaces", live.key, live, draft));
    else if (others.length < finalizers.length)
      writeInBackground(this.#log, () => store.put("namespaces", live.key, live, draft));
  }

  /** One resource for every namespaced collection; its version does not matter. */
  #contents(): Map<string, Resource> {
    const namespaced = this.#services.registry.all().filter((resource) => resource.namespaced && !resource.compute);
    return new Map(namespaced.map((resource) => [collectionOf(resource), resource]));
  }
}

function nameOf({ metadata }: KubeObject): string {
  return metadata.name ?? "";
}
