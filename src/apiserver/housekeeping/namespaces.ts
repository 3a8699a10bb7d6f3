import { formatTime } from "../../object/time.ts";
import type { KubeObject } from "../../object/meta.ts";
import { collectionOf } from "../registry.ts";
import type { Services } from "../request/context.ts";
import { draftOf } from "../request/draft.ts";
import { type Log, noLog } from "../../runtime/log.ts";
import { inBackground } from "./in-background.ts";
import type { Resource } from "../resource.ts";
import type { Entry } from "../storage/store.ts";

/** Empties namespaces that are being deleted, and lets them go once nothing is left in them. */
export class Namespaces {
  readonly #services: Services;
  readonly #log: Log;

  constructor(services: Services, log: Log = noLog) {
    this.#services = services;
    this.#log = log;
  }

  start(): () => void {
    const { store } = this.#services;
    const stops = [store.watch("namespaces", () => this.#reconcile())];
    // A finalizer that goes may have been the last thing to hold a namespace.
    const watched = new Set<string>();
    const watchContents = (): void => {
      for (const resource of this.#namespaced()) {
        const collection = collectionOf(resource);
        if (watched.has(collection)) continue;
        watched.add(collection);
        stops.push(store.watch(collection, (changes) => changes.some(({ after }) => !after) && this.#reconcile()));
      }
    };
    watchContents();
    stops.push(store.watch("customresourcedefinitions.apiextensions.k8s.io", watchContents));
    this.#reconcile();
    return () => {
      for (const stop of stops) stop();
    };
  }

  #reconcile(): void {
    const { reader } = this.#services;
    for (const namespace of reader.list("namespaces")) if (namespace.metadata.deletionTimestamp) this.#empty(namespace);
  }

  #empty(namespace: KubeObject): void {
    const { store, registry, views } = this.#services;
    const name = namespace.metadata.name ?? "";
    let left = 0;
    for (const resource of this.#namespaced())
      for (const entry of store.list(collectionOf(resource), `${name}/`)) {
        left++;
        if (store.head(collectionOf(resource), entry.key) === entry) this.#delete(resource, entry);
      }
    if (left > 0) return;
    const resource = registry.find("", "v1", "namespaces") as Resource;
    const live = store.head("namespaces", name);
    if (!live || String(live.revision) !== namespace.metadata.resourceVersion) return;
    const released = views.object(live, resource);
    const spec = released.spec as { finalizers?: string[] } | undefined;
    const others = spec?.finalizers?.filter((finalizer) => finalizer !== "kubernetes") ?? [];
    released.spec = others.length > 0 ? { ...spec, finalizers: others } : {};
    if (others.length > 0 || (released.metadata.finalizers?.length ?? 0) > 0) {
      if (others.length !== (spec?.finalizers?.length ?? 0))
        inBackground(this.#log, () => store.put("namespaces", name, live, draftOf(released, resource)));
    } else inBackground(this.#log, () => store.remove("namespaces", name, live, draftOf(released, resource)));
  }

  #delete(resource: Resource, entry: Entry): void {
    const { store, views, clock } = this.#services;
    const object = views.object(entry, resource);
    const collection = collectionOf(resource);
    if ((object.metadata.finalizers?.length ?? 0) === 0)
      return inBackground(this.#log, () => store.remove(collection, entry.key, entry, draftOf(object, resource)));
    if (object.metadata.deletionTimestamp) return;
    object.metadata.deletionTimestamp = formatTime(clock.now());
    object.metadata.deletionGracePeriodSeconds = 0;
    inBackground(this.#log, () => store.put(collection, entry.key, entry, draftOf(object, resource)));
  }

  #namespaced(): Resource[] {
    return this.#services.registry.all().filter((r) => r.namespaced && !r.compute && r.version === r.storageVersion);
  }
}
