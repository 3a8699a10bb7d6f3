import { apiVersion } from "../registry.ts";
import type { Resource } from "../resource.ts";
import { headOf } from "../storage/object-codec.ts";
import type { Entry } from "../storage/store.ts";

/** How objects begin, for each version that they may lie in. */
const heads = new WeakMap<Resource, Buffer>();

/** The version of the kind that an entry lies in. Undefined where the definition knows it no more. */
export function storedVersion(entry: Entry, resource: Resource): Resource | undefined {
  if (liesIn(entry, resource)) return resource;
  for (const version of resource.versions?.all.values() ?? []) if (liesIn(entry, version)) return version;
  return undefined;
}

export function liesIn({ bytes }: Entry, resource: Resource): boolean {
  let head = heads.get(resource);
  if (!head) heads.set(resource, (head = headOf(resource.kind, apiVersion(resource))));
  return bytes.length > head.length && bytes.compare(head, 0, head.length, 0, head.length) === 0;
}

const unconverted = new WeakMap<Resource, Resource>();

/**
 * The resource by which an object can be read and written as it lies there, whatever version was asked for. Enough for
 * all that is done to metadata alone: what deletes and collects must not depend on somebody's webhook.
 */
export function asStored(resource: Resource, entry: Entry): Resource {
  const { versions } = resource;
  if (!versions || versions.asIs) return resource;
  const stored = storedVersion(entry, resource);
  // What was written in a version that is no more can only be taken for what is asked for.
  if (!stored || (stored === resource && resource.version === resource.storageVersion && !versions.webhook))
    return resource;
  let same = unconverted.get(stored);
  if (!same) {
    same = { ...stored, storageVersion: stored.version, versions: { all: versions.all, asIs: true } };
    unconverted.set(stored, same);
  }
  return same;
}
