import { isObject, set } from "../../../language/object/json.ts";
import type { Resource } from "../resource.ts";
import { type Definitions, openapiDocument } from "./document.ts";
import { nameIn } from "./names.ts";

type Part = Record<string, unknown>;

export interface OpenApiV2 {
  readonly swagger: "2.0";
  readonly info: { readonly title: string; readonly version: string };
  readonly paths: Record<string, unknown>;
  readonly definitions: Record<string, Part>;
}

/** `/openapi/v2`: all kinds in one document, for clients that do not know version 3. Made from the documents of version 3. */
export function openapiV2(resources: readonly Resource[], all: Definitions): OpenApiV2 {
  const paths: Record<string, unknown> = {};
  const found: Record<string, Part> = {};
  const versions = new Map(resources.map(({ group, version }) => [`${group}/${version}`, { group, version }]));
  for (const { group, version } of versions.values()) {
    const document = openapiDocument(resources, group, version, all);
    for (const [path, item] of Object.entries(document?.paths ?? {})) paths[path] = pathItem(item);
    for (const [name, component] of Object.entries(document?.components.schemas ?? {}))
      found[name] ??= rootSchema(component as Part);
  }
  const sorted = <T>(byName: Record<string, T>) =>
    Object.fromEntries(Object.entries(byName).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  return {
    swagger: "2.0",
    info: { title: "Kubernetes", version: "unversioned" },
    paths: sorted(paths),
    definitions: sorted(found),
  };
}

/** kubectl would refuse all fields beyond those described, so a kind that keeps unknown fields describes none. */
function rootSchema(component: Part): Part {
  if (component["x-kubernetes-preserve-unknown-fields"] !== true || !component["x-kubernetes-group-version-kind"])
    return schemaOf(component);
  const kind = component["x-kubernetes-group-version-kind"];
  return { type: "object", "x-kubernetes-group-version-kind": kind };
}

/**
 * A schema without what version 2 cannot express: alternatives, and null. As in kube-apiserver, a schema that allows null
 * or unknown fields is left open, because kubectl refuses fields that a closed one does not describe.
 */
function schemaOf(schema: Part): Part {
  const { allOf, oneOf, anyOf: _, not: __, nullable, properties, items, additionalProperties, ...rest } = schema;
  const [reference] = Array.isArray(allOf) && allOf.length === 1 ? (allOf as Part[]) : [schema];
  const name = typeof reference?.["$ref"] === "string" ? nameIn(reference["$ref"]) : undefined;
  if (name !== undefined) return { ...rest, $ref: `#/definitions/${name}` };
  const result: Part = rest;
  const isOpen = nullable === true || rest["x-kubernetes-preserve-unknown-fields"] === true;
  // Quantity and IntOrString.
  if (oneOf && result["type"] === undefined) result["type"] = "string";
  if (!isOpen && isObject(items)) result["items"] = schemaOf(items);
  if (!isOpen && isObject(properties)) addProperties(result, properties as Record<string, Part>);
  if (isObject(additionalProperties)) result["additionalProperties"] = schemaOf(additionalProperties);
  else if (additionalProperties !== undefined) result["additionalProperties"] = additionalProperties;
  if (nullable === true || (isOpen && result["type"] === "object") || (!result["items"] && result["type"] === "array"))
    delete result["type"];
  return result;
}

function addProperties(result: Part, properties: Record<string, Part>): void {
  const shown: Part = {};
  for (const [name, field] of Object.entries(properties)) set(shown, name, schemaOf(field));
  result["properties"] = shown;
  if (!Array.isArray(result["required"])) return;
  const required = (result["required"] as string[]).filter((name) => properties[name]?.["nullable"] !== true);
  if (required.length > 0) result["required"] = required;
  else delete result["required"];
}

/** A path's operations: parameters carry their type, and the body is one of them. */
function pathItem(item: Readonly<Part>): Part {
  return Object.fromEntries(
    Object.entries(item).map(([key, part]) => [
      key,
      key === "parameters" ? parametersOf(part) : operation(part as Part),
    ]),
  );
}

function parametersOf(parameters: unknown): Part[] {
  return ((parameters ?? []) as Part[]).map(({ schema, ...parameter }) => ({ ...parameter, ...(schema as Part) }));
}

function operation({ parameters, requestBody, responses, ...rest }: Part): Part {
  const body = requestBody as { content?: Record<string, { schema: Part }>; required?: true } | undefined;
  const types = Object.keys(body?.content ?? {});
  const schema = schemaOf(Object.values(body?.content ?? {})[0]?.schema ?? {});
  const sent = { in: "body", name: "body", ...(body?.required ? { required: true } : {}), schema };
  return {
    ...rest,
    consumes: types.length > 0 ? types : ["*/*"],
    produces: ["application/json", "application/yaml"],
    parameters: [...(body ? [sent] : []), ...parametersOf(parameters)],
    responses: Object.fromEntries(
      Object.entries((responses ?? {}) as Record<string, Part>).map(([code, { content, ...answer }]) => {
        const shown = Object.values((content ?? {}) as Record<string, { schema?: Part }>)[0]?.schema;
        return [code, shown ? { ...answer, schema: schemaOf(shown) } : answer];
      }),
    ),
  };
}
