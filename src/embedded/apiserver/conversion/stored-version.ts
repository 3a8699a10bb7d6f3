import { apiVersion } from "../registry.ts";
import type { Resource } from "../resource.ts";
import { headOf } from "../storage/object-codec.ts";
import type { Entry } from "../storage/store.ts";

/** The first bytes of a stored object, by version. */
const heads = new WeakMap<Resource, Buffer>();

/** The version that an entry is stored in. Undefined if the definition no longer has that version. */
export function storedVersion(entry: Entry, resource: Resource): Resource | undefined {
  if (isStoredIn(entry, resource)) return resource;
  for (const version of resource.versions?.all.values() ?? []) if (isStoredIn(entry, version)) return version;
  return undefined;
}

export function isStoredIn({ bytes }: Entry, resource: Resource): boolean {
  let head = heads.get(resource);
  if (!head) heads.set(resource, (head = headOf(resource.kind, apiVersion(resource))));
  return bytes.length > head.length && bytes.compare(head, 0, head.length, 0, head.length) === 0;
}

const unconverted = new WeakMap<Resource, Resource>();

/**
 * A resource that reads and writes the object in its stored version, without conversion. Enough to change metadata:
 * deletion and garbage collection must not depend on a conversion webhook.
 */
export function asStored(resource: Resource, entry: Entry): Resource {
  const { versions } = resource;
  if (!versions || versions.asIs) return resource;
  const stored = storedVersion(entry, resource);
  // An object of a version that no longer exists is treated as one of the requested version.
  if (!stored || (stored === resource && resource.version === resource.storageVersion && !versions.webhook))
    return resource;
  let same = unconverted.get(stored);
  if (!same) {
    same = { ...stored, storageVersion: stored.version, versions: { all: versions.all, asIs: true } };
    unconverted.set(stored, same);
  }
  return same;
}
