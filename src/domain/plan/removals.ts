import type { KubeObject } from "../../language/object/meta.ts";
import { performanceProfileKind } from "../performance-profile/api.ts";
import { objectDiff } from "./object-diff.ts";
import type { PlannedObject } from "./change-plan.ts";

/** One deletion, with the object that is there. */
export interface PlannedRemoval {
  readonly place: string;
  readonly object: KubeObject;
  /** The garbage collector deletes it after its owner. */
  readonly derived?: true;
}

/** Deletions, with what PerformanceProfiles own. `objects`: what could be owned, each with its kind. */
export function withOwned(removals: readonly PlannedRemoval[], objects: readonly KubeObject[]): PlannedRemoval[] {
  const owners = removals.filter(({ object }) => object.kind === performanceProfileKind.kind);
  const owned = owners.flatMap(({ object: { kind, metadata } }) =>
    objects
      .filter((object) =>
        object.metadata.ownerReferences?.some((owner) => owner.kind === kind && owner.name === metadata.name),
      )
      .map((object): PlannedRemoval => ({ place: `owned by ${kind} ${metadata.name}`, object, derived: true })),
  );
  return [...removals, ...owned.filter(({ object }) => !removals.some((one) => isSame(one.object, object)))];
}

/** The objects of a kind that stay. */
export function withoutRemoved<T extends KubeObject>(
  objects: readonly T[],
  kind: string,
  removals: readonly PlannedRemoval[],
): T[] {
  const names = new Set(
    removals.filter(({ object }) => object.kind === kind).map(({ object }) => object.metadata.name),
  );
  return objects.filter(({ metadata }) => !names.has(metadata.name));
}

export function removedObject({ place, object, derived }: PlannedRemoval): PlannedObject {
  const { kind, metadata } = object;
  return {
    place,
    kind,
    ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
    name: metadata.name ?? "",
    change: "delete",
    ...(derived ? { derived } : {}),
    diff: objectDiff(object, undefined),
  };
}

function isSame(a: KubeObject, b: KubeObject): boolean {
  return a.kind === b.kind && a.metadata.name === b.metadata.name;
}
