import type { GroupVersionKind } from "../../../language/object/meta.ts";
import type { Resource } from "../resource.ts";
import { servedGroups, type ServedGroup } from "./group-versions.ts";
import { servedSubresources, servedVerbs } from "./subresources.ts";

export interface ApiGroupDiscoveryList {
  kind: "APIGroupDiscoveryList";
  apiVersion: string;
  metadata: Record<string, never>;
  items: ApiGroupDiscovery[];
}

interface ApiGroupDiscovery {
  metadata: { name?: string };
  versions: { version: string; resources: ApiResourceDiscovery[]; freshness: "Current" }[];
}

interface ApiResourceDiscovery {
  resource: string;
  responseKind: GroupVersionKind;
  scope: "Namespaced" | "Cluster";
  singularResource: string;
  verbs: readonly string[];
  shortNames?: readonly string[];
  categories?: readonly string[];
  subresources?: { subresource: string; responseKind: GroupVersionKind; verbs: readonly string[] }[];
}

/** All of discovery in one answer: `core` is served at `/api`, `groups` at `/apis`. */
export function aggregatedDiscovery(
  resources: readonly Resource[],
  part: "core" | "groups",
  version: "v2" | "v2beta1",
): ApiGroupDiscoveryList {
  const wanted = resources.filter((resource) => (resource.group === "") === (part === "core"));
  return {
    kind: "APIGroupDiscoveryList",
    apiVersion: `apidiscovery.k8s.io/${version}`,
    metadata: {},
    items: servedGroups(wanted).map(toGroupDiscovery),
  };
}

function toGroupDiscovery({ name, versions }: ServedGroup): ApiGroupDiscovery {
  return {
    metadata: name === "" ? {} : { name },
    versions: versions.map(({ version, resources }) => ({
      version,
      resources: resources.map(toResourceDiscovery),
      freshness: "Current",
    })),
  };
}

function toResourceDiscovery(resource: Resource): ApiResourceDiscovery {
  const subresources = servedSubresources(resource).map(({ name, verbs, kind }) => ({
    subresource: name,
    responseKind: responseKind(resource, kind),
    verbs,
  }));
  return {
    resource: resource.plural,
    responseKind: responseKind(resource, resource),
    scope: resource.namespaced ? "Namespaced" : "Cluster",
    singularResource: resource.singular,
    verbs: servedVerbs(resource),
    ...(resource.shortNames.length > 0 ? { shortNames: resource.shortNames } : {}),
    ...(resource.categories.length > 0 ? { categories: resource.categories } : {}),
    ...(subresources.length > 0 ? { subresources } : {}),
  };
}

/** As kube-apiserver: an empty group and version mean those of this entry, used for built-in kinds only. */
function responseKind(resource: Resource, { group, version, kind }: GroupVersionKind): GroupVersionKind {
  const own = group === resource.group && version === resource.version;
  return resource.origin === "builtin" && own ? { group: "", version: "", kind } : { group, version, kind };
}
