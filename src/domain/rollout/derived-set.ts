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

/** The profile that the objects of a set were derived from. */
export function profileOfSet(set: string): string {
  return set.slice(0, set.indexOf("/"));
}

/** On a pool that Attune rolls out: the sets that its target has, separated by commas. */
export const releasedSetsAnnotation = "rollout.attune.dev/released-sets";

/** Undefined: the object belongs to no set. */
export function setOf({ metadata: { annotations } }: Pick<KubeObject, "metadata">): string | undefined {
  return annotations && Object.hasOwn(annotations, derivedSetAnnotation)
    ? annotations[derivedSetAnnotation]
    : undefined;
}

export interface DerivedObjects {
  /** As node tuning has seen them. */
  readonly tuneds: readonly KubeObject[];
  readonly machineConfigs: readonly KubeObject[];
  readonly kubeletConfigs: readonly KubeObject[];
}

/** Names of profiles of a pool whose objects are not all of one set: they are being written or deleted. */
export function incompleteSets(ofPool: DerivedObjects, all: Omit<DerivedObjects, "machineConfigs">): string[] {
  const machineConfigs = setsOf(ofPool.machineConfigs);
  const places = [setsOf(all.tuneds), machineConfigs, setsOf(all.kubeletConfigs)];
  const isComplete = (profile: string): boolean => {
    const sets = new Set(places.map((place) => place.get(profile)));
    return sets.size === 1 && !sets.has(undefined);
  };
  const profiles = [setsOf(ofPool.tuneds), machineConfigs, setsOf(ofPool.kubeletConfigs)].flatMap((by) => [
    ...by.keys(),
  ]);
  return [...new Set(profiles)].filter((profile) => !isComplete(profile)).toSorted();
}

/** By name of the profile. */
function setsOf(objects: readonly KubeObject[]): Map<string, string> {
  return new Map(
    objects.flatMap((object) => {
      const set = setOf(object);
      return set === undefined ? [] : [[profileOfSet(set), set] as const];
    }),
  );
}
