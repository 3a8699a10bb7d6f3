import type { KubeObject } from "../../../language/object/meta.ts";
import { decodeObject } from "./object-codec.ts";
import type { ObjectStore } from "./object-store.ts";
import type { Entry } from "./store.ts";

/**
 * Committed objects, parsed, for the server's own use: RBAC, tokens, namespaces, CustomResourceDefinitions.
 * A collection has the name of a resource in messages: `configmaps`, `clusterroles.rbac.authorization.k8s.io`.
 */
export interface ObjectReader {
  get(collection: string, key: string): KubeObject | undefined;
  list(collection: string): KubeObject[];
  /** The revision of the collection's last change; what was computed from it is valid while this stays the same. */
  changedAt(collection: string): number;
}

/** Reads the store for the server itself: every version of an object is parsed once, and shared. */
export class StoreReader implements ObjectReader {
  readonly #store: ObjectStore;
  readonly #parsed = new WeakMap<Entry, KubeObject>();

  constructor(store: ObjectStore) {
    this.#store = store;
  }

  get(collection: string, key: string): KubeObject | undefined {
    return this.#parse(this.#store.get(collection, key));
  }

  /** Includes an uncommitted write: what a new write must be checked against. */
  head(collection: string, key: string): KubeObject | undefined {
    return this.#parse(this.#store.head(collection, key));
  }

  list(collection: string): KubeObject[] {
    return Array.from(this.#store.list(collection), (entry) => this.#parse(entry) as KubeObject);
  }

  *listIn(collection: string, namespace: string): Iterable<KubeObject> {
    for (const entry of this.#store.list(collection, `${namespace}/`)) yield this.#parse(entry) as KubeObject;
  }

  /** Objects of a namespace with an uncommitted write: the committed version and the newest, where there is one. */
  *uncommitted(collection: string, namespace: string): Iterable<{ before?: KubeObject; after?: KubeObject }> {
    for (const [key, entry] of this.#store.uncommitted(collection, `${namespace}/`)) {
      yield difference(this.get(collection, key), this.#parse(entry));
    }
  }

  /** Committed changes in a namespace after a revision; undefined if some are no longer kept. */
  changesIn(collection: string, namespace: string, revision: number) {
    return this.#store
      .changesSince(collection, revision)
      ?.filter(({ key }) => key.startsWith(`${namespace}/`))
      .map(({ before, after }) => difference(this.#parse(before), this.#parse(after)));
  }

  changedAt(collection: string): number {
    return this.#store.changedAt(collection);
  }

  #parse(entry: Entry | undefined): KubeObject | undefined {
    if (!entry) return undefined;
    let object = this.#parsed.get(entry);
    if (!object) this.#parsed.set(entry, (object = decodeObject(entry.bytes)));
    return object;
  }
}

function difference(before: KubeObject | undefined, after: KubeObject | undefined) {
  return { ...(before ? { before } : {}), ...(after ? { after } : {}) };
}
