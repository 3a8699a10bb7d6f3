import { equal } from "../../object/json.ts";
import { apiVersionOf, type KubeObject } from "../../object/meta.ts";
import { apiVersion } from "../registry.ts";
import type { Resource } from "../resource.ts";
import { decodeCustom } from "../custom/decode-custom.ts";
import { decodeObject, encodeObject } from "./object-codec.ts";
import type { Entry } from "./store.ts";

/**
 * Stored objects as a resource shows them. A built-in kind is stored as it is shown, unless it says how. A custom one is
 * shown in the version asked for, pruned and defaulted by the schema of today, which may not be the schema of the
 * day it was written.
 */
export class Views {
  readonly #shown = new WeakMap<Entry, Map<Resource, Buffer>>();

  bytes(entry: Entry, resource: Resource): Buffer {
    if (resource.origin === "builtin" && !resource.storedAs) return entry.bytes;
    let shown = this.#shown.get(entry);
    if (!shown) this.#shown.set(entry, (shown = new Map()));
    let bytes = shown.get(resource);
    if (!bytes) {
      const fresh = encodeObject(this.#converted(entry, resource));
      bytes = fresh.equals(entry.bytes) ? entry.bytes : fresh;
      shown.set(resource, bytes);
    }
    return bytes;
  }

  /**
   * Whether what lies there is what a write of the object as shown would put there. If not, writing it back unchanged
   * brings it up to the schema and version of today: this is how stored objects are migrated.
   */
  isStoredAsShown(entry: Entry, resource: Resource): boolean {
    if (resource.origin === "builtin") return true;
    const stored = {
      ...this.object(entry, resource),
      apiVersion: apiVersionOf(resource.group, resource.storageVersion),
    };
    return equal(stored, decodeObject(entry.bytes));
  }

  /** A parsed copy, the caller's own. */
  object(entry: Entry, resource: Resource): KubeObject {
    return decodeObject(this.bytes(entry, resource));
  }

  /** The entry was just written through this resource: what lies there is what it shows. */
  adopt(entry: Entry, resource: Resource): void {
    if (resource.origin === "custom" && resource.version === resource.storageVersion)
      this.#shown.set(entry, new Map([[resource, entry.bytes]]));
  }

  #converted(entry: Entry, resource: Resource): KubeObject {
    const stored = decodeObject(entry.bytes);
    if (resource.storedAs) return resource.storedAs.fromStored(stored);
    stored.apiVersion = apiVersion(resource);
    const { object } = decodeCustom(stored, resource);
    resource.strategy.defaults?.(object);
    return object;
  }
}
