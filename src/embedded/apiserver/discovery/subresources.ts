import type { GroupVersionKind } from "../../../language/object/meta.ts";
import type { Resource, Subresource, Verb } from "../resource.ts";

/** A subresource as discovery shows it: its verbs, and the kind of its body. */
export interface ServedSubresource {
  readonly name: string;
  readonly verbs: readonly Verb[];
  readonly kind: GroupVersionKind;
}

const PART_VERBS: readonly Verb[] = ["get", "patch", "update"];

/** As kube-apiserver: built-in kinds in alphabetical order, custom ones list status before scale. */
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

/** Built-in kinds list their verbs in alphabetical order; custom ones keep kube-apiserver's fixed order. */
export function servedVerbs(resource: Resource): readonly Verb[] {
  return resource.origin === "custom" ? (resource.discoveryVerbs ?? resource.verbs) : resource.verbs.toSorted();
}
