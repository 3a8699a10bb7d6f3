import { describe, expect, it } from "vitest";
import { at } from "../../../language/object/json.ts";
import { defineKind } from "../kinds/define-kind.ts";
import type { Resource } from "../resource.ts";
import { contentHash } from "./content-hash.ts";
import { openapiIndex, schemaDocument } from "./openapi-index.ts";
import { openapiDocument, type OpenApiDocument } from "./document.ts";

const scale = { type: "scale", specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" } as const;
const builtin = { version: "v1", namespaced: true, columns: [], strategy: {} } as const;
const pods = defineKind({
  ...builtin,
  group: "",
  kind: "Pod",
  plural: "pods",
  subresources: {
    status: { type: "status" },
    log: { type: "connect", kind: "Pod", verbs: ["get"], connect: async () => undefined },
  },
});
const nodes = defineKind({
  ...builtin,
  group: "",
  kind: "Node",
  plural: "nodes",
  namespaced: false,
  subresources: {
    proxy: { type: "connect", kind: "NodeProxyOptions", verbs: ["create", "get"], connect: async () => undefined },
  },
});
const reviews = defineKind({
  ...builtin,
  group: "authorization.k8s.io",
  kind: "SelfSubjectAccessReview",
  plural: "selfsubjectaccessreviews",
  namespaced: false,
  verbs: ["create"],
});
const dials: Resource = {
  ...pods,
  group: "rec.example.com",
  kind: "Dial",
  listKind: "DialList",
  plural: "dials",
  origin: "custom",
  subresources: { scale },
  selectableFields: { "spec.mode": () => "" },
  schema: {
    type: "object",
    description: "Turns.",
    properties: {
      metadata: { type: "object", properties: { name: { type: "string" } } },
      spec: {
        type: "object",
        properties: {
          mode: { type: "string", description: "How it turns." },
          port: { "x-kubernetes-int-or-string": true },
          inner: {
            type: "object",
            "x-kubernetes-embedded-resource": true,
            "x-kubernetes-preserve-unknown-fields": true,
          },
          list: { type: "array", items: { type: "object", additionalProperties: { type: "integer" } } },
        },
      },
    },
  },
};
const resources = [pods, dials, nodes, reviews];

function documentOf(name: string): OpenApiDocument {
  const text = schemaDocument(resources, name);
  if (text === undefined) throw new Error(`no document ${name}`);
  return JSON.parse(text) as OpenApiDocument;
}

const core = documentOf("api/v1");
const custom = documentOf("apis/rec.example.com/v1");
const schemaOf = (document: OpenApiDocument, name: string) => document.components.schemas[name];
const namesOf = (parameters: unknown) => (parameters as { name: string }[]).map(({ name }) => name);

describe("the index", () => {
  it("lists every version and the roots, each with the hash of its document", () => {
    const index = openapiIndex(resources, (name) => contentHash(name).slice(0, 4));
    expect(Object.keys(index.paths)).toEqual([
      "api",
      "api/v1",
      "apis",
      "apis/authorization.k8s.io/v1",
      "apis/rec.example.com/v1",
      "version",
    ]);
    expect(index.paths["api/v1"]?.serverRelativeURL).toBe(
      `/openapi/v3/api/v1?hash=${contentHash("api/v1").slice(0, 4)}`,
    );
    for (const name of Object.keys(index.paths)) expect(schemaDocument(resources, name), name).toBeDefined();
  });

  it.each(["api", "apis", "version"])("has a document for %s", (name) => {
    expect(Object.keys(documentOf(name).paths)).toEqual([`/${name}/`]);
  });

  it("has no document for what is not served", () => {
    expect(schemaDocument(resources, "apis/apps/v1")).toBeUndefined();
    expect(schemaDocument(resources, "toString")).toBeUndefined();
    expect(openapiDocument(resources, "apps", "v1", {})).toBeUndefined();
  });
});

describe("paths", () => {
  const operations = (document: OpenApiDocument) =>
    Object.entries(document.paths).map(([path, item]) => [
      path,
      ...Object.entries(item).flatMap(([method, operation]) =>
        method === "parameters" ? [] : [`${method} ${String(at(operation, "operationId"))}`],
      ),
    ]);

  it("name every operation of a namespaced and of a cluster-wide kind", () => {
    expect(operations(core)).toEqual([
      ["/api/v1/nodes", "get listCoreV1Node", "post createCoreV1Node", "delete deleteCoreV1CollectionNode"],
      [
        "/api/v1/nodes/{name}",
        "get readCoreV1Node",
        "put replaceCoreV1Node",
        "delete deleteCoreV1Node",
        "patch patchCoreV1Node",
      ],
      ["/api/v1/nodes/{name}/proxy", "post connectCoreV1PostNodeProxy", "get connectCoreV1GetNodeProxy"],
      [
        "/api/v1/nodes/{name}/proxy/{path}",
        "post connectCoreV1PostNodeProxyWithPath",
        "get connectCoreV1GetNodeProxyWithPath",
      ],
      ["/api/v1/pods", "get listCoreV1PodForAllNamespaces"],
      [
        "/api/v1/namespaces/{namespace}/pods",
        "get listCoreV1NamespacedPod",
        "post createCoreV1NamespacedPod",
        "delete deleteCoreV1CollectionNamespacedPod",
      ],
      [
        "/api/v1/namespaces/{namespace}/pods/{name}",
        "get readCoreV1NamespacedPod",
        "put replaceCoreV1NamespacedPod",
        "delete deleteCoreV1NamespacedPod",
        "patch patchCoreV1NamespacedPod",
      ],
      ["/api/v1/namespaces/{namespace}/pods/{name}/log", "get readCoreV1NamespacedPodLog"],
      [
        "/api/v1/namespaces/{namespace}/pods/{name}/status",
        "get readCoreV1NamespacedPodStatus",
        "put replaceCoreV1NamespacedPodStatus",
        "patch patchCoreV1NamespacedPodStatus",
      ],
    ]);
    expect(operations(documentOf("apis/authorization.k8s.io/v1"))).toEqual([
      ["/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", "post createAuthorizationV1SelfSubjectAccessReview"],
    ]);
    expect(operations(custom).at(-1)).toEqual([
      "/apis/rec.example.com/v1/namespaces/{namespace}/dials/{name}/scale",
      "get readRecExampleComV1NamespacedDialScale",
      "put replaceRecExampleComV1NamespacedDialScale",
      "patch patchRecExampleComV1NamespacedDialScale",
    ]);
  });

  it.each([
    [core, "/api/v1/namespaces/{namespace}/pods/{name}", { group: "", version: "v1", kind: "Pod" }, 4],
    [
      custom,
      "/apis/rec.example.com/v1/namespaces/{namespace}/dials/{name}",
      { group: "rec.example.com", version: "v1", kind: "Dial" },
      3,
    ],
  ])("contain the parameters that kubectl looks for in PATCH (%#)", (document, path, gvk, patchTypes) => {
    const patch = at(document.paths[path], "patch");
    expect(at(patch, "x-kubernetes-group-version-kind")).toEqual(gvk);
    expect(at(patch, "x-kubernetes-action")).toBe("patch");
    expect(namesOf(at(patch, "parameters"))).toEqual(["dryRun", "fieldManager", "fieldValidation", "force"]);
    expect(Object.keys(at(patch, "requestBody", "content") as object)).toHaveLength(patchTypes);
    expect(namesOf(document.paths[path]?.["parameters"])).toEqual(["name", "namespace", "pretty"]);
  });
});

describe("components", () => {
  it("are closed: every reference has its component", () => {
    for (const document of [core, custom, documentOf("apis/authorization.k8s.io/v1")]) {
      const references = JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g);
      for (const [, name = ""] of references) expect(document.components.schemas).toHaveProperty([name]);
    }
  });

  it("describe a built-in kind and its list under their kinds", () => {
    expect(at(schemaOf(core, "io.k8s.api.core.v1.Pod"), "x-kubernetes-group-version-kind")).toEqual([
      { group: "", version: "v1", kind: "Pod" },
    ]);
    expect(schemaOf(core, "io.k8s.api.core.v1.PodList")).toMatchObject({
      properties: { items: { type: "array", items: { $ref: "#/components/schemas/io.k8s.api.core.v1.Pod" } } },
      "x-kubernetes-group-version-kind": [{ group: "", version: "v1", kind: "PodList" }],
    });
  });

  it("contain merge keys of built-in kinds, but no keywords of our decoder", () => {
    expect(at(schemaOf(core, "io.k8s.api.core.v1.PodSpec"), "properties", "containers")).toMatchObject({
      "x-kubernetes-patch-merge-key": "name",
      "x-kubernetes-patch-strategy": "merge",
    });
    for (const schema of Object.values(core.components.schemas)) expect(schema).not.toHaveProperty("go");
  });

  it("have no keywords beside a reference", () => {
    const definitions = {
      "io.k8s.api.core.v1.Node": {
        type: "object",
        properties: {
          $ref: { type: "string" },
          go: { type: "string" },
          spec: { $ref: "#/components/schemas/x.Spec", description: "What it is." },
        },
        go: { name: "Node" },
      },
    };
    const schemas = openapiDocument([nodes], "", "v1", definitions)?.components.schemas;
    expect(schemas?.["io.k8s.api.core.v1.Node"]).toEqual({
      description: "A machine that runs pods.",
      type: "object",
      properties: {
        $ref: { type: "string" },
        go: { type: "string" },
        spec: { description: "What it is.", allOf: [{ $ref: "#/components/schemas/x.Spec" }] },
      },
      "x-kubernetes-group-version-kind": [{ group: "", version: "v1", kind: "Node" }],
    });
    expect(schemas?.["x.Spec"]).toEqual({ type: "object" });
  });

  it("show a custom kind as its definition says, with metadata by reference", () => {
    const objectMeta = { allOf: [{ $ref: "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta" }] };
    const dial = schemaOf(custom, "com.example.rec.v1.Dial");
    expect(dial).toMatchObject({
      type: "object",
      description: "Turns.",
      properties: {
        apiVersion: { type: "string" },
        kind: { type: "string" },
        metadata: objectMeta,
        spec: {
          type: "object",
          properties: {
            mode: { type: "string", description: "How it turns." },
            port: { anyOf: [{ type: "integer" }, { type: "string" }], "x-kubernetes-int-or-string": true },
            inner: {
              properties: { apiVersion: { type: "string" }, kind: { type: "string" }, metadata: objectMeta },
              required: ["kind", "apiVersion"],
            },
            list: { type: "array", items: { type: "object", additionalProperties: { type: "integer" } } },
          },
        },
      },
      "x-kubernetes-group-version-kind": [{ group: "rec.example.com", version: "v1", kind: "Dial" }],
      "x-kubernetes-selectable-fields": [{ fieldPath: "spec.mode" }],
    });
    expect(at(dial, "properties", "metadata")).not.toHaveProperty("properties");
    expect(Object.keys(custom.components.schemas)).toContain("com.example.rec.v1.DialList");
    expect(Object.keys(custom.components.schemas)).toContain("io.k8s.api.autoscaling.v1.Scale");
  });
});
