import type { GroupVersionKind } from "../../../language/object/meta.ts";
import type { Resource, Subresource, Verb } from "../resource.ts";

/** A subresource as discovery shows it: its own verbs, and the kind its body is of. */
export interface ServedSubresource {
  readonly name: string;
  readonly verbs: readonly Verb[];
  readonly kind: GroupVersionKind;
}

const PART_VERBS: readonly Verb[] = ["get", "patch", "update"];

/** In alphabetical order for built-in kinds; custom ones list status before scale, as a real server does. */
export function servedSubresources(resource: Resource): ServedSubresource[] {
  const names = Object.keys(resource.subresources).toSorted();
  if (resource.origin === "custom") names.reverse();
  return names.flatMap((name) => {
    const subresource = resource.subresources[name];
    return subresource ? [{ name, ...describe(resource, subresource) }] : [];
  });
}

function describe(resource: Resource, subresource: Subresource): Omit<ServedSubresource, "name"> {
  if (subresource.type === "scale") {
    return { verbs: PART_VERBS, kind: { group: "autoscaling", version: "v1", kind: "Scale" } };
  }
  const { group, version } = subresource.type === "action" ? subresource : resource;
  const { kind } = subresource.type === "status" ? resource : subresource;
  return {
    verbs: subresource.verbs?.toSorted() ?? PART_VERBS,
    kind: { group, version, kind },
  };
}

/** Built-in kinds list their verbs by alphabet; custom ones keep the fixed order in which they were given. */
export function servedVerbs(resource: Resource): readonly Verb[] {
  return resource.origin === "custom" ? (resource.toldVerbs ?? resource.verbs) : resource.verbs.toSorted();
}
