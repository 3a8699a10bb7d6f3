import type { KubeObject } from "../../../language/object/meta.ts";
import { conversionPolicy } from "../../webhook/conversion-policy.ts";
import { performanceProfileConversion } from "../../webhook/performance-profile-handler.ts";
import { nameOf } from "./installed-objects.ts";

export interface DeletionInput {
  /** Objects with our label, in the order in which they are deleted. */
  readonly ours: readonly KubeObject[];
  /** Objects of users, by the name of the CRD or namespace that they would be deleted with. */
  readonly users: ReadonlyMap<string, readonly KubeObject[]>;
  /** Also delete CRDs that users have objects of. */
  readonly crds: boolean;
}

/** Without a reason it is deleted. */
export interface Decided {
  readonly object: KubeObject;
  readonly keptBecause?: string;
}

/** Which objects are deleted: a CRD or a namespace with objects of users stays, unless the user asked for it. */
export function decideDeletions({ ours, users, crds }: DeletionInput): Decided[] {
  const usersOf = ({ metadata }: KubeObject): readonly KubeObject[] => users.get(metadata.name ?? "") ?? [];
  const definitions = ours.filter(isDefinition);
  const kept = new Set(crds ? [] : definitions.filter((definition) => usersOf(definition).length > 0));
  const goes = (object: KubeObject): boolean =>
    definitions.some((definition) => !kept.has(definition) && usersOf(definition).some((one) => isSame(one, object)));
  const converted = [...kept].some(({ metadata }) => metadata.name === performanceProfileConversion.definition);
  return ours.map((object) => {
    if (kept.has(object))
      return { object, keptBecause: `it has objects of users: ${listed(usersOf(object))}; --crds deletes them too` };
    if (converted && conversionPolicy.some((policy) => isSame(policy, object)))
      return { object, keptBecause: "it protects PerformanceProfiles, which nothing converts now" };
    const inside = object.kind === "Namespace" ? usersOf(object).filter((one) => !goes(one)) : [];
    return inside.length > 0 ? { object, keptBecause: `it contains ${listed(inside)}` } : { object };
  });
}

export function isDefinition({ kind }: KubeObject): boolean {
  return kind === "CustomResourceDefinition";
}

const mostNames = 5;

function listed(objects: readonly KubeObject[]): string {
  const names = objects.slice(0, mostNames).map(nameOf).join(", ");
  return objects.length > mostNames ? `${names} and ${objects.length - mostNames} more` : names;
}

function isSame(a: KubeObject, b: KubeObject): boolean {
  return nameOf(a) === nameOf(b);
}
