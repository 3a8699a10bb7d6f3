import { keyOf, type KubeObject } from "../../../../language/object/meta.ts";
import type { ObjectReader } from "../../storage/store-reader.ts";

/** An ObjectReader in memory, for tests. */
export class ObjectMap implements ObjectReader {
  readonly #collections = new Map<string, Map<string, KubeObject>>();
  readonly #changed = new Map<string, number>();
  #revision = 0;

  get(collection: string, key: string): KubeObject | undefined {
    return this.#collections.get(collection)?.get(key);
  }

  list(collection: string): KubeObject[] {
    const entries = [...(this.#collections.get(collection) ?? [])];
    return entries.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, object]) => object);
  }

  changedAt(collection: string): number {
    return this.#changed.get(collection) ?? 0;
  }

  /** Plurals must be regular: a `Role` goes into `roles.rbac.authorization.k8s.io`. */
  put(...objects: KubeObject[]): this {
    for (const object of objects) {
      const collection = collectionOf(object);
      const there = this.#collections.get(collection) ?? new Map<string, KubeObject>();
      this.#collections.set(collection, there.set(keyOf(object), object));
      this.#changed.set(collection, ++this.#revision);
    }
    return this;
  }

  remove(collection: string, key: string): void {
    this.#collections.get(collection)?.delete(key);
    this.#changed.set(collection, ++this.#revision);
  }
}

function collectionOf({ apiVersion, kind }: KubeObject): string {
  const slash = apiVersion.indexOf("/");
  return `${kind.toLowerCase()}s${slash < 0 ? "" : `.${apiVersion.slice(0, slash)}`}`;
}
