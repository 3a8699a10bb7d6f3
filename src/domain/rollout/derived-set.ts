import { hashOf } from "../../language/object/hash.ts";
import type { KubeObject } from "../../language/object/meta.ts";

/**
 * On objects that were derived together from a PerformanceProfile: `name/hash`, with the hash of all of them. A pool gets all
 * objects of a set at once: files without the boot arguments that belong to them would cost a second restart.
 */
export const derivedSetAnnotation = "rollout.attune.dev/derived-set";

/** The objects that reach a pool's nodes, marked as one set. */
export function asSet<T extends Record<string, KubeObject>>(profile: string, objects: T): T {
  const set = `${profile}/${hashOf(Object.values(objects).map(({ kind, metadata, spec }) => [kind, metadata.labels, spec]))}`;
  const marked = Object.entries(objects).map(([name, object]) => [name, withSet(object, set)]);
  return Object.fromEntries(marked) as T;
}

function withSet(object: KubeObject, set: string): KubeObject {
  const annotations = { ...object.metadata.annotations, [derivedSetAnnotation]: set };
  return { ...object, metadata: { ...object.metadata, annotations } };
}

/** Undefined: the object belongs to no set. */
export function setOf({ metadata: { annotations } }: Pick<KubeObject, "metadata">): string | undefined {
  return annotations && Object.hasOwn(annotations, derivedSetAnnotation)
    ? annotations[derivedSetAnnotation]
    : undefined;
}

/** The profile that a set was derived from. Names of profiles contain no slash. */
export function profileOfSet(set: string): string {
  return set.slice(0, set.indexOf("/"));
}
