import { clone, equal } from "../../../language/object/json.ts";
import { apiVersionOf, parseApiVersion, type KubeObject } from "../../../language/object/meta.ts";
import { ConvertedEntries } from "../conversion/converted-entries.ts";
import { relabel, type WebhookConverter } from "../conversion/webhook-converter.ts";
import { isStoredIn, storedVersion } from "../conversion/stored-version.ts";
import { decodeCustom } from "../custom/decode-custom.ts";
import { apiVersion } from "../registry.ts";
import type { Resource } from "../resource.ts";
import { conflict } from "../status-error.ts";
import { decodeObject, encodeObject } from "./object-codec.ts";
import type { Entry } from "./store.ts";

/**
 * Stored objects as a resource shows them. A built-in kind is stored as it is shown, unless it has `storedAs`. A custom
 * object is pruned and defaulted by the current schema of its stored version, which may have changed since the write;
 * then it is converted to the requested version and pruned by the schema of that version.
 */
export class Views {
  readonly #shown = new WeakMap<Entry, WeakMap<Resource, Buffer>>();
  readonly #webhooks: WebhookConverter;
  readonly #converted: ConvertedEntries;

  constructor(webhooks: WebhookConverter) {
    this.#webhooks = webhooks;
    this.#converted = new ConvertedEntries({
      read: (entry, resource) => upToDate(decodeObject(entry.bytes), resource),
      convert: (objects, to) => webhooks.convert(objects, to),
      done: (entry, resource, object) => this.#keep(entry, resource, encodeObject(object)),
    });
  }

  /**
   * Returns a promise only if a webhook must convert some of the entries to this version. Afterwards `bytes` and
   * `object` work for these entries.
   */
  ready(entries: Iterable<Entry>, resource: Resource): Promise<unknown> | undefined {
    if (!resource.versions?.webhook) return undefined;
    const missing: Entry[] = [];
    for (const entry of entries)
      if (!this.#shown.get(entry)?.has(resource) && needsWebhook(entry, resource)) missing.push(entry);
    return missing.length > 0 ? this.#converted.convert(missing, resource) : undefined;
  }

  bytes(entry: Entry, resource: Resource): Buffer {
    if (resource.origin === "builtin" && !resource.storedAs) return entry.bytes;
    return this.#shown.get(entry)?.get(resource) ?? this.#keep(entry, resource, encodeObject(shownAs(resource, entry)));
  }

  /** A parsed copy that the caller may change. */
  object(entry: Entry, resource: Resource): KubeObject {
    return decodeObject(this.bytes(entry, resource));
  }

  /** The object in its storage version: itself, if the resource is that version. */
  toStorage(object: KubeObject, resource: Resource): KubeObject | Promise<KubeObject> {
    if (resource.origin === "builtin" || resource.version === resource.storageVersion) return object;
    const storage = resource.versions?.all.get(resource.storageVersion);
    if (storage) return this.convert(object, storage);
    return { ...object, apiVersion: apiVersionOf(resource.group, resource.storageVersion) };
  }

  /** An object, which need not be stored, in another version. */
  convert(object: KubeObject, to: Resource): KubeObject | Promise<KubeObject> {
    if (to.versions?.webhook)
      return this.#webhooks.convert([object], to).then(([converted]) => converted as KubeObject);
    return relabel(clone(object), to);
  }

  /**
   * Whether the stored bytes are what a write of the shown object would store. If not, writing it back unchanged migrates
   * it to the current schema and storage version.
   */
  isStoredAsShown(entry: Entry, resource: Resource): boolean {
    if (resource.origin === "builtin") return true;
    const bytes = this.bytes(entry, resource);
    return bytes === entry.bytes || equal(decodeObject(bytes), decodeObject(entry.bytes));
  }

  /** The entry was just written through this resource, so the stored bytes are what it shows. */
  adopt(entry: Entry, resource: Resource): void {
    if (resource.origin === "custom" && resource.version === resource.storageVersion)
      this.#keep(entry, resource, entry.bytes);
  }

  #keep(entry: Entry, resource: Resource, fresh: Buffer): Buffer {
    const bytes = fresh.equals(entry.bytes) ? entry.bytes : fresh;
    const shown = this.#shown.get(entry);
    if (shown) shown.set(resource, bytes);
    else this.#shown.set(entry, new WeakMap([[resource, bytes]]));
    return bytes;
  }
}

function needsWebhook(entry: Entry, resource: Resource): boolean {
  return !isStoredIn(entry, resource) && storedVersion(entry, resource) !== undefined;
}

function shownAs(resource: Resource, entry: Entry): KubeObject {
  const stored = decodeObject(entry.bytes);
  if (resource.storedAs) return resource.storedAs.fromStored(stored);
  if (resource.versions?.asIs && !isStoredIn(entry, resource))
    throw conflict(resource.group, resource.plural, entry.key, "it is now stored in another version");
  if (resource.versions?.webhook && needsWebhook(entry, resource))
    throw new Error(
      `show ${resource.plural} ${entry.key} in ${apiVersion(resource)}: its conversion webhook was not called`,
    );
  return relabel(upToDate(stored, resource), resource);
}

/** Prunes and defaults a stored object by the schema of its own version. Changes it. */
function upToDate(stored: KubeObject, resource: Resource): KubeObject {
  const version = resource.versions?.all.get(parseApiVersion(stored.apiVersion).version) ?? resource;
  const { object } = decodeCustom(stored, version);
  version.strategy.defaults?.(object);
  return object;
}
