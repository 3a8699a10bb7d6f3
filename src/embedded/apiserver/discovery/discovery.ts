import { createHash } from "node:crypto";
import { apiVersionOf } from "../../../language/object/meta.ts";
import type { Resource } from "../resource.ts";
import { servedGroups, type ServedGroup } from "./group-versions.ts";
import { servedSubresources, servedVerbs } from "./subresources.ts";

export interface ApiVersions {
  kind: "APIVersions";
  versions: string[];
  serverAddressByClientCIDRs: { clientCIDR: string; serverAddress: string }[];
}

interface GroupVersionForDiscovery {
  groupVersion: string;
  version: string;
}

export interface ApiGroup {
  name: string;
  versions: GroupVersionForDiscovery[];
  preferredVersion: GroupVersionForDiscovery;
}

export interface ApiGroupList {
  kind: "APIGroupList";
  apiVersion: "v1";
  groups: ApiGroup[];
}

export interface ApiResource {
  name: string;
  singularName: string;
  namespaced: boolean;
  group?: string;
  version?: string;
  kind: string;
  verbs: readonly string[];
  shortNames?: readonly string[];
  categories?: readonly string[];
  storageVersionHash?: string;
}

export interface ApiResourceList {
  kind: "APIResourceList";
  /** kube-apiserver leaves it out for the core group. */
  apiVersion?: "v1";
  groupVersion: string;
  resources: ApiResource[];
}

/** `/api`. The address is `host:port` of the server for clients in the pod network. */
export function apiVersions(address: string): ApiVersions {
  return {
    kind: "APIVersions",
    versions: ["v1"],
    serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress: address }],
  };
}

/** `/apis`. */
export function apiGroupList(resources: readonly Resource[]): ApiGroupList {
  const groups = servedGroups(resources).filter((group) => group.name !== "");
  return { kind: "APIGroupList", apiVersion: "v1", groups: groups.map(toApiGroup) };
}

/** `/apis/GROUP`; undefined if the group is not served. */
export function apiGroup(
  resources: readonly Resource[],
  group: string,
): ({ kind: "APIGroup"; apiVersion: "v1" } & ApiGroup) | undefined {
  const [served] = servedGroups(resources.filter((resource) => resource.group === group));
  return served && { kind: "APIGroup", apiVersion: "v1", ...toApiGroup(served) };
}

function toApiGroup({ name, versions }: ServedGroup): ApiGroup {
  const listed = versions.map(({ version }) => ({ groupVersion: apiVersionOf(name, version), version }));
  // A served group has at least one version: it exists because a resource named it.
  const preferredVersion = listed[0] as GroupVersionForDiscovery;
  return { name, versions: listed, preferredVersion };
}

/** `/apis/GROUP/VERSION` and `/api/v1`; undefined if the version is not served. */
export function apiResourceList(
  resources: readonly Resource[],
  group: string,
  version: string,
): ApiResourceList | undefined {
  const of = resources.filter((resource) => resource.group === group && resource.version === version);
  const served = servedGroups(of)[0]?.versions[0];
  return (
    served && {
      kind: "APIResourceList",
      ...(group === "" ? {} : { apiVersion: "v1" }),
      groupVersion: apiVersionOf(group, version),
      resources: served.resources.flatMap(toApiResources),
    }
  );
}

function toApiResources(resource: Resource): ApiResource[] {
  const main: ApiResource = {
    name: resource.plural,
    singularName: resource.singular,
    namespaced: resource.namespaced,
    kind: resource.kind,
    verbs: servedVerbs(resource),
    ...(resource.shortNames.length > 0 ? { shortNames: resource.shortNames } : {}),
    ...(resource.categories.length > 0 ? { categories: resource.categories } : {}),
    // Reviews are never stored.
    ...(resource.compute ? {} : { storageVersionHash: storageVersionHash(resource) }),
  };
  const parts = servedSubresources(resource).map(({ name, verbs, kind }): ApiResource => {
    const foreign = kind.group !== resource.group || kind.version !== resource.version;
    return {
      name: `${resource.plural}/${name}`,
      singularName: "",
      namespaced: resource.namespaced,
      ...(foreign ? { group: kind.group, version: kind.version } : {}),
      kind: kind.kind,
      verbs,
    };
  });
  return [main, ...parts];
}

/** Lets clients that cache stored objects see that the storage version has changed. */
export function storageVersionHash(resource: Pick<Resource, "group" | "storageVersion" | "kind" | "storedAs">): string {
  const { group, version, kind } = resource.storedAs ?? { ...resource, version: resource.storageVersion };
  return createHash("sha256").update(`${group}/${version}/${kind}`).digest().subarray(0, 8).toString("base64");
}
