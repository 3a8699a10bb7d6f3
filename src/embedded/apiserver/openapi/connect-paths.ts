import * as parameters from "./parameters.ts";
import type { Resource, Subresource } from "../resource.ts";
import { capitalised, operationPrefix, scoped, tagOf } from "./names.ts";
import type { Parameter, PathItem } from "./parameters.ts";

type Connect = Extract<Subresource, { type: "connect" }>;

const METHODS = { get: "get", create: "post", update: "put", patch: "patch", delete: "delete" } as const;
const TEXTS = ["application/json", "application/yaml", "text/plain"];

/** Paths of `log` and `proxy`, whose responses are text. `at` is the path of the object. */
export function connectPaths(resource: Resource, name: string, part: Connect, at: string): Record<string, PathItem> {
  const scope = [parameters.NAME, ...(resource.namespaced ? [parameters.NAMESPACE] : [])];
  // `log` has the kind of its object, and is described as a read of it.
  if (part.kind === resource.kind) {
    const id = `read${operationPrefix(resource)}${scoped(resource)}${resource.kind}${capitalised(name)}`;
    const get = operation(resource, { id, action: "get", kind: resource.kind, types: TEXTS });
    return { [`${at}/${name}`]: { get, parameters: [...scope, ...parameters.LOG, parameters.PRETTY] } };
  }
  const item = (suffix: string, shared: readonly Parameter[]): PathItem => {
    const operations = part.verbs.flatMap((verb) => {
      const method = (METHODS as Partial<Record<string, string>>)[verb];
      if (method === undefined) return [];
      const id = `connect${operationPrefix(resource)}${capitalised(method)}${scoped(resource)}${resource.kind}${capitalised(name)}${suffix}`;
      return [[method, operation(resource, { id, action: "connect", kind: part.kind, types: ["*/*"] })]];
    });
    return { ...(Object.fromEntries(operations) as PathItem), parameters: [...scope, ...shared] };
  };
  return {
    [`${at}/${name}`]: item("", [parameters.PROXIED]),
    [`${at}/${name}/{path}`]: item("WithPath", [parameters.REST_OF_PATH, parameters.PROXIED]),
  };
}

interface Described {
  readonly id: string;
  readonly action: string;
  readonly kind: string;
  readonly types: readonly string[];
}

function operation(resource: Resource, { id, action, kind, types }: Described): object {
  const { group, version } = resource;
  const content = Object.fromEntries(types.map((type) => [type, { schema: { type: "string" } }]));
  return {
    tags: [tagOf(resource)],
    operationId: id,
    responses: { "200": { description: "OK", content }, "401": { description: "Unauthorized" } },
    "x-kubernetes-action": action,
    "x-kubernetes-group-version-kind": { group, version, kind },
  };
}
