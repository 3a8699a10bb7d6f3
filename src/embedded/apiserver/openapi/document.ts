import { isObject } from "../../../language/object/json.ts";
import { servedSubresources } from "../discovery/subresources.ts";
import type { Resource } from "../resource.ts";
import { bodyName, componentName, META, nameIn } from "./names.ts";
import { customComponent, listComponent } from "./custom-component.ts";
import { described } from "./describe.ts";
import type { PathItem } from "./parameters.ts";
import { pathsOf } from "./paths.ts";

export interface OpenApiDocument {
  openapi: "3.0.0";
  info: { title: string; version: string };
  paths: Record<string, PathItem>;
  components: {
    schemas: Record<string, unknown>;
    securitySchemes: { BearerToken: { type: "apiKey"; name: string; in: "header" } };
  };
}

/** Built-in components by name, which refer to each other by `$ref`. */
export type Definitions = Readonly<Record<string, unknown>>;

/**
 * `/openapi/v3/apis/GROUP/VERSION` and `/openapi/v3/api/v1`: what kubectl needs to explain, validate and merge the kinds
 * of one version. Undefined if no kind of that version is served.
 */
export function openapiDocument(
  resources: readonly Resource[],
  group: string,
  version: string,
  definitions: Definitions,
): OpenApiDocument | undefined {
  const served = resources
    .filter((resource) => resource.group === group && resource.version === version)
    .toSorted((a, b) => (a.plural < b.plural ? -1 : 1));
  if (served.length === 0) return undefined;
  const paths: Record<string, PathItem> = {};
  const roots = new Map<string, unknown>();
  for (const resource of served) {
    Object.assign(paths, pathsOf(resource));
    const name = componentName(resource, resource.kind);
    roots.set(name, kindComponent(resource, described(name, definitions[name])));
    if (resource.verbs.includes("list"))
      roots.set(componentName(resource, resource.listKind), listComponent(resource, name));
  }
  // Components that paths refer to. Listed here, because searching the paths for them would take longer than the rest.
  const bodies = served.flatMap((resource) => servedSubresources(resource).map(({ kind }) => bodyName(resource, kind)));
  return documentOf(paths, componentsFor([...Object.values(META), ...bodies], roots, definitions));
}

export function documentOf(paths: Record<string, PathItem>, schemas: Record<string, unknown>): OpenApiDocument {
  return {
    openapi: "3.0.0",
    info: { title: "Kubernetes", version: "unversioned" },
    paths,
    components: {
      schemas,
      securitySchemes: { BearerToken: { type: "apiKey", name: "authorization", in: "header" } },
    },
  };
}

function kindComponent(resource: Resource, definition: unknown): unknown {
  if (resource.origin === "custom") return customComponent(resource);
  const { group, version, kind } = resource;
  const component = isObject(definition) ? published(definition) : { type: "object" };
  return { ...(component as object), "x-kubernetes-group-version-kind": [{ group, version, kind }] };
}

/** All components that these names reach. An undefined name becomes an object of any shape. */
function componentsFor(
  names: readonly string[],
  roots: ReadonlyMap<string, unknown>,
  definitions: Definitions,
): Record<string, unknown> {
  const found = new Map<string, unknown>();
  const pending = [...roots.keys(), ...names];
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    if (found.has(name)) continue;
    const defined = Object.hasOwn(definitions, name) ? definitions[name] : { type: "object" };
    const component = roots.get(name) ?? published(described(name, defined));
    found.set(name, component);
    pending.push(...references(component));
  }
  return Object.fromEntries([...found].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function references(root: unknown): Set<string> {
  const names = new Set<string>();
  const pending: object[] = [{ root }];
  for (let value = pending.pop(); value; value = pending.pop()) {
    for (const [key, child] of Object.entries(value) as [string, unknown][]) {
      const name = key === "$ref" && typeof child === "string" ? nameIn(child) : undefined;
      if (name !== undefined) names.add(name);
      else if (typeof child === "object" && child !== null) pending.push(child);
    }
  }
  return names;
}

/**
 * A definition without the keywords for our decoder. A `$ref` beside other keywords, such as merge keys, is wrapped in
 * `allOf`, because readers of JSON references ignore what is beside one.
 */
function published(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(published);
  if (!isObject(value)) return value;
  const result: Record<string, unknown> = {};
  for (const [key, child] of Object.entries(value)) {
    if (key === "go") continue;
    result[key] = key === "properties" ? publishedFields(child) : published(child);
  }
  if (typeof result["$ref"] === "string" && Object.keys(result).length > 1) {
    const { $ref, ...rest } = result;
    return { ...rest, allOf: [{ $ref }] };
  }
  return result;
}

/** Field names are not keywords: JSONSchemaProps has fields called `$ref` and `properties`. */
function publishedFields(fields: unknown): unknown {
  if (!isObject(fields)) return fields;
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, published(field)]));
}
