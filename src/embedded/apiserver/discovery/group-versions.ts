import type { Resource } from "../resource.ts";
import { compareGroups } from "./group-order.ts";
import { compareVersions } from "./version-order.ts";

/** A served group with its versions and their resources, in order of preference. */
export interface ServedGroup {
  readonly name: string;
  readonly versions: readonly ServedVersion[];
}

export interface ServedVersion {
  readonly version: string;
  /** Sorted by plural name. */
  readonly resources: readonly Resource[];
}

export function servedGroups(resources: readonly Resource[]): ServedGroup[] {
  const groups = new Map<string, Map<string, Resource[]>>();
  for (const resource of resources) {
    let versions = groups.get(resource.group);
    if (!versions) groups.set(resource.group, (versions = new Map()));
    const served = versions.get(resource.version);
    if (served) served.push(resource);
    else versions.set(resource.version, [resource]);
  }
  return [...groups]
    .sort(([a], [b]) => compareGroups(a, b))
    .map(([name, versions]) => ({
      name,
      versions: [...versions]
        .sort(([a], [b]) => compareVersions(a, b))
        .map(([version, served]) => ({ version, resources: served.sort(byPlural) })),
    }));
}

function byPlural(a: Resource, b: Resource): number {
  return a.plural < b.plural ? -1 : a.plural > b.plural ? 1 : 0;
}
