import { describe, expect, it } from "vitest";
import { parseApiVersion } from "../../../language/object/meta.ts";
import type { Resource, Verb } from "../resource.ts";
import { aggregatedDiscovery } from "./aggregated-discovery.ts";
import { apiGroup, apiGroupList, apiResourceList, apiVersions } from "./discovery.ts";

const ALL: Verb[] = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];
const CUSTOM: Verb[] = ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"];
const status = { type: "status" } as const;
const scale = { type: "scale", specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" } as const;

function resource(apiVersion: string, kind: string, plural: string, more: Partial<Resource> = {}): Resource {
  const { group, version } = parseApiVersion(apiVersion);
  return {
    group,
    version,
    kind,
    listKind: `${kind}List`,
    plural,
    singular: kind.toLowerCase(),
    shortNames: [],
    categories: [],
    namespaced: true,
    verbs: ALL.toReversed(),
    storageVersion: version,
    schema: {},
    origin: "builtin",
    selectableFields: {},
    columns: [],
    strategy: {},
    subresources: {},
    ...more,
  };
}

const never = () => Promise.reject(new Error("discovery performs nothing"));
const eviction = {
  type: "action",
  group: "policy",
  version: "v1",
  kind: "Eviction",
  verbs: ["create"],
  schema: {},
  perform: never,
} as const;
const finalize = { ...eviction, group: "", kind: "Namespace", verbs: ["update"] } as const;

const resources: Resource[] = [
  resource("rec.example.com/v1", "Dial", "dials", {
    origin: "custom",
    verbs: CUSTOM,
    shortNames: ["dl"],
    categories: ["all"],
    subresources: { scale, status },
  }),
  resource("rec.example.com/v1alpha1", "Dial", "dials", { origin: "custom", verbs: CUSTOM, storageVersion: "v1" }),
  resource("authorization.k8s.io/v1", "SelfSubjectAccessReview", "selfsubjectaccessreviews", {
    verbs: ["create"],
    namespaced: false,
    compute: never,
  }),
  resource("apps/v1", "DaemonSet", "daemonsets", {
    shortNames: ["ds"],
    categories: ["all"],
    subresources: { status },
  }),
  resource("v1", "Pod", "pods", {
    shortNames: ["po"],
    categories: ["all"],
    subresources: { status, eviction },
  }),
  resource("v1", "Namespace", "namespaces", { namespaced: false, subresources: { finalize } }),
  resource("v1", "ConfigMap", "configmaps", { shortNames: ["cm"] }),
];
const PART = ["get", "patch", "update"];

describe("plain discovery", () => {
  it("names the version of the core group and the server's address", () => {
    expect(apiVersions("192.0.2.2:16444")).toEqual({
      kind: "APIVersions",
      versions: ["v1"],
      serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress: "192.0.2.2:16444" }],
    });
  });

  it("lists groups in order of priority, without the core group", () => {
    const { groups } = apiGroupList(resources);
    expect(groups.map((group) => group.name)).toEqual(["apps", "authorization.k8s.io", "rec.example.com"]);
    expect(groups[2]).toEqual({
      name: "rec.example.com",
      versions: [
        { groupVersion: "rec.example.com/v1", version: "v1" },
        { groupVersion: "rec.example.com/v1alpha1", version: "v1alpha1" },
      ],
      preferredVersion: { groupVersion: "rec.example.com/v1", version: "v1" },
    });
  });

  it("answers for one group, and not for one that is not served", () => {
    expect(apiGroup(resources, "apps")).toEqual({
      kind: "APIGroup",
      apiVersion: "v1",
      name: "apps",
      versions: [{ groupVersion: "apps/v1", version: "v1" }],
      preferredVersion: { groupVersion: "apps/v1", version: "v1" },
    });
    expect(apiGroup(resources, "nope.example.com")).toBeUndefined();
    expect(apiResourceList(resources, "apps", "v9")).toBeUndefined();
  });

  it("lists the core resources with their subresources, the list itself without apiVersion", () => {
    expect(apiResourceList(resources, "", "v1")).toEqual({
      kind: "APIResourceList",
      groupVersion: "v1",
      resources: [
        {
          name: "configmaps",
          singularName: "configmap",
          namespaced: true,
          kind: "ConfigMap",
          verbs: ALL,
          shortNames: ["cm"],
          storageVersionHash: "qFsyl6wFWjQ=",
        },
        {
          name: "namespaces",
          singularName: "namespace",
          namespaced: false,
          kind: "Namespace",
          verbs: ALL,
          storageVersionHash: "Q3oi5N2YM8M=",
        },
        { name: "namespaces/finalize", singularName: "", namespaced: false, kind: "Namespace", verbs: ["update"] },
        {
          name: "pods",
          singularName: "pod",
          namespaced: true,
          kind: "Pod",
          verbs: ALL,
          shortNames: ["po"],
          categories: ["all"],
          storageVersionHash: "xPOwRZ+Yhw8=",
        },
        {
          name: "pods/eviction",
          singularName: "",
          namespaced: true,
          group: "policy",
          version: "v1",
          kind: "Eviction",
          verbs: ["create"],
        },
        { name: "pods/status", singularName: "", namespaced: true, kind: "Pod", verbs: PART },
      ],
    });
  });

  it("gives a computed kind no storage version", () => {
    expect(apiResourceList(resources, "authorization.k8s.io", "v1")?.resources).toEqual([
      {
        name: "selfsubjectaccessreviews",
        singularName: "selfsubjectaccessreview",
        namespaced: false,
        kind: "SelfSubjectAccessReview",
        verbs: ["create"],
      },
    ]);
  });

  it("lists a custom kind with verbs and subresources in a custom kind's order", () => {
    expect(apiResourceList(resources, "rec.example.com", "v1")).toEqual({
      kind: "APIResourceList",
      apiVersion: "v1",
      groupVersion: "rec.example.com/v1",
      resources: [
        {
          name: "dials",
          singularName: "dial",
          namespaced: true,
          kind: "Dial",
          verbs: CUSTOM,
          shortNames: ["dl"],
          categories: ["all"],
          storageVersionHash: "M3kevvSdhKU=",
        },
        { name: "dials/status", singularName: "", namespaced: true, kind: "Dial", verbs: PART },
        {
          name: "dials/scale",
          singularName: "",
          namespaced: true,
          group: "autoscaling",
          version: "v1",
          kind: "Scale",
          verbs: PART,
        },
      ],
    });
  });

  it("hashes the storage version, not the served one", () => {
    expect(apiResourceList(resources, "rec.example.com", "v1alpha1")?.resources[0]?.storageVersionHash).toBe(
      "M3kevvSdhKU=",
    );
  });
});

describe("aggregated discovery", () => {
  it("has an item without a name for the core group, and kinds without a group", () => {
    const { items, ...list } = aggregatedDiscovery(resources, "core", "v2");
    expect(list).toEqual({ kind: "APIGroupDiscoveryList", apiVersion: "apidiscovery.k8s.io/v2", metadata: {} });
    expect(items).toHaveLength(1);
    expect(items[0]?.metadata).toEqual({});
    const [version] = items[0]?.versions ?? [];
    expect(version?.freshness).toBe("Current");
    expect(version?.resources.map((r) => r.resource)).toEqual(["configmaps", "namespaces", "pods"]);
    expect(version?.resources[2]).toEqual({
      resource: "pods",
      responseKind: { group: "", version: "", kind: "Pod" },
      scope: "Namespaced",
      singularResource: "pod",
      verbs: ALL,
      shortNames: ["po"],
      categories: ["all"],
      subresources: [
        {
          subresource: "eviction",
          responseKind: { group: "policy", version: "v1", kind: "Eviction" },
          verbs: ["create"],
        },
        { subresource: "status", responseKind: { group: "", version: "", kind: "Pod" }, verbs: PART },
      ],
    });
  });

  it("lists every other group, custom kinds with their group spelled out", () => {
    const { items, apiVersion } = aggregatedDiscovery(resources, "groups", "v2beta1");
    expect(apiVersion).toBe("apidiscovery.k8s.io/v2beta1");
    expect(items.map((item) => [item.metadata.name, item.versions.map((v) => v.version)])).toEqual([
      ["apps", ["v1"]],
      ["authorization.k8s.io", ["v1"]],
      ["rec.example.com", ["v1", "v1alpha1"]],
    ]);
    const kind = { group: "rec.example.com", version: "v1", kind: "Dial" };
    expect(items[2]?.versions[0]?.resources).toEqual([
      {
        resource: "dials",
        responseKind: kind,
        scope: "Namespaced",
        singularResource: "dial",
        verbs: CUSTOM,
        shortNames: ["dl"],
        categories: ["all"],
        subresources: [
          { subresource: "status", responseKind: kind, verbs: PART },
          { subresource: "scale", responseKind: { group: "autoscaling", version: "v1", kind: "Scale" }, verbs: PART },
        ],
      },
    ]);
  });
});
