import { writeJson } from "../../../language/object/exact-json.ts";
import type { Resource } from "../resource.ts";
import { documentOf, type OpenApiDocument, openapiDocument } from "./document.ts";
import { definitions } from "../kinds/definitions.ts";
import { openapiV2Protobuf } from "./openapi-v2-protobuf.ts";
import { openapiV2 } from "./openapi-v2.ts";

export interface OpenApiIndex {
  paths: Record<string, { serverRelativeURL: string }>;
}

/** Documents without kinds: the paths of discovery and version. */
const ROOTS: Record<string, { path: string; operationId: string }> = {
  api: { path: "/api/", operationId: "getCoreAPIVersions" },
  apis: { path: "/apis/", operationId: "getAPIVersions" },
  version: { path: "/version/", operationId: "getCodeVersion" },
};

/** The name of a document in the index: `api/v1`, `apis/apps/v1`. */
function documentName(group: string, version: string): string {
  return group === "" ? `api/${version}` : `apis/${group}/${version}`;
}

/** `/openapi/v3`. Each URL contains the hash of its document, so that clients can cache it. */
export function openapiIndex(resources: readonly Resource[], hashOf: (documentName: string) => string): OpenApiIndex {
  const names = new Set([
    ...Object.keys(ROOTS),
    ...resources.map(({ group, version }) => documentName(group, version)),
  ]);
  const entries = [...names]
    .toSorted()
    .map((name) => [name, { serverRelativeURL: `/openapi/v3/${name}?hash=${hashOf(name)}` }] as const);
  return { paths: Object.fromEntries(entries) };
}

/** `/openapi/v3/api`, `…/apis` and `…/version`. */
export function rootDocument(name: string): OpenApiDocument | undefined {
  const root = Object.hasOwn(ROOTS, name) ? ROOTS[name] : undefined;
  if (!root) return undefined;
  const answer = { description: "OK", content: { "application/json": { schema: { type: "object" } } } };
  const get = {
    tags: [name === "api" ? "core" : name],
    operationId: root.operationId,
    responses: { 200: answer, 401: { description: "Unauthorized" } },
  };
  return documentOf({ [root.path]: { get } }, {});
}

/** The text of `/openapi/v3/NAME`, where NAME is `api/v1`, `apis/GROUP/VERSION` or one of the roots. */
export function schemaDocument(resources: readonly Resource[], name: string): string | undefined {
  const [root, ...rest] = name.split("/");
  const [group, version] = root === "api" ? ["", rest[0]] : [rest[0], rest[1]];
  const document =
    rest.length === 0 ? rootDocument(name) : openapiDocument(resources, group ?? "", version ?? "", definitions());
  return document && writeJson(document);
}

/** The content of `/openapi/v2`. */
export function swaggerDocument(resources: readonly Resource[], format: "json" | "protobuf"): string | Buffer {
  const document = openapiV2(resources, definitions());
  return format === "json" ? writeJson(document) : openapiV2Protobuf(document);
}
