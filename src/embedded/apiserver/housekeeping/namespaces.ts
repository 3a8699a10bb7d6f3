import type { Namespace } from "kubernetes-types/core/v1.js";
import { equal } from "../../../language/object/json.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import type { Log } from "../../../cluster/runtime/log/log.ts";
import { collectionOf } from "../registry.ts";
import { timestamp, type Services } from "../request/context.ts";
import { draftOf } from "../request/draft.ts";
import type { Resource } from "../resource.ts";
import { decodeObject } from "../storage/object-codec.ts";
import type { Change, Entry } from "../storage/store.ts";
import { namespaceConditions, type Remaining } from "./namespace-conditions.ts";
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

  /** Pods first: they may need the other objects until they have ended. */
  #empty(namespace: KubeObject): void {
    const { store } = this.#services;
    const contents = this.#contents();
    const hasPods = [...store.list("pods", `${nameOf(namespace)}/`)].length > 0;
    const first = hasPods ? [["pods", contents.get("pods") as Resource] as const] : contents;
    const resources = new Map<string, number>();
    const finalizers = new Map<string, number>();
    for (const [collection, resource] of first)
      for (const entry of store.list(collection, `${nameOf(namespace)}/`)) {
        deleteInBackground(this.#services, this.#log, resource, entry);
        count(resources, `${resource.plural}.${resource.group}`);
        for (const finalizer of finalizersOf(entry)) count(finalizers, finalizer);
      }
    if (resources.size === 0) this.#release(namespace);
    // Without finalizers everything is deleted in this turn.
    else if (finalizers.size > 0) this.#report(namespace, { resources, finalizers });
  }

  #report(namespace: KubeObject, remaining: Remaining): void {
    const { status = {} } = namespace as Namespace;
    const conditions = namespaceConditions(status.conditions ?? [], remaining, timestamp(this.#services.clock));
    if (equal(conditions, status.conditions)) return;
    this.#change(namespace, (object) => {
      object.status = { ...(object as Namespace).status, conditions };
    });
  }

  /** Removes the finalizer `kubernetes`; other finalizers keep the namespace. */
  #release(namespace: KubeObject): void {
    const { finalizers = [] } = (namespace as Namespace).spec ?? {};
    const others = finalizers.filter((finalizer) => finalizer !== "kubernetes");
    const isRemoved = others.length === 0 && (namespace.metadata.finalizers?.length ?? 0) === 0;
    if (!isRemoved && others.length === finalizers.length) return;
    this.#change(
      namespace,
      (object) => {
        object.spec = others.length > 0 ? { finalizers: others } : {};
      },
      isRemoved,
    );
  }

  /** Writes a namespace, or removes it, unless a newer version of it is on its way. */
  #change(namespace: KubeObject, change: (object: KubeObject) => void, isRemoved = false): void {
    const { store, registry, views } = this.#services;
    const resource = registry.find("", "v1", "namespaces") as Resource;
    const live = store.head("namespaces", nameOf(namespace));
    if (!live || String(live.revision) !== namespace.metadata.resourceVersion) return;
    const object = views.object(live, resource);
    change(object);
    const draft = draftOf(object, resource);
    writeInBackground(this.#log, () =>
      isRemoved ? store.remove("namespaces", live.key, live, draft) : store.put("namespaces", live.key, live, draft),
    );
  }

  /** One resource for every namespaced collection; its version does not matter. */
  #contents(): Map<string, Resource> {
    const namespaced = this.#services.registry.all().filter((resource) => resource.namespaced && !resource.compute);
    return new Map(namespaced.map((resource) => [collectionOf(resource), resource]));
  }
}

/** Searched in stored bytes: most objects have no finalizers and are not parsed. */
const FINALIZERS = Buffer.from('"finalizers":[');

function finalizersOf({ bytes }: Entry): readonly string[] {
  return bytes.includes(FINALIZERS) ? (decodeObject(bytes).metadata.finalizers ?? []) : [];
}

function count(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

function nameOf({ metadata }: KubeObject): string {
  return metadata.name ?? "";
}
