import { isObject, set } from "../../../language/object/json.ts";
import type { Schema } from "../../../language/schema/schema.ts";
import type { Resource } from "../resource.ts";
import { META, refTo } from "./names.ts";

type Component = Record<string, unknown>;

const API_VERSION = { type: "string", description: "The group and version this object is written in." };
const KIND = { type: "string", description: "What this object is." };
const objectMeta = () => ({
  description: "What every object has: name, labels, owners.",
  allOf: [refTo(META.objectMeta)],
});

/** A custom kind's schema as OpenAPI shows it: metadata by reference, the rest as its definition says. */
export function customComponent({ schema, group, version, kind, selectableFields }: Resource): Component {
  const component = published(schema);
  // Below the root only what the definition says is shown; the root is an object of its own kind.
  const properties = isObject(component["properties"]) ? component["properties"] : {};
  const fields = Object.keys(selectableFields);
  return {
    ...component,
    properties: { ...properties, apiVersion: API_VERSION, kind: KIND, metadata: objectMeta() },
    "x-kubernetes-group-version-kind": [{ group, version, kind }],
    ...(fields.length > 0 ? { "x-kubernetes-selectable-fields": fields.map((fieldPath) => ({ fieldPath })) } : {}),
  };
}

/** Any kind's list. */
export function listComponent(resource: Pick<Resource, "group" | "version" | "listKind">, item: string): Component {
  const { group, version, listKind } = resource;
  return {
    type: "object",
    required: ["items"],
    properties: {
      apiVersion: API_VERSION,
      items: { type: "array", items: refTo(item) },
      kind: KIND,
      metadata: { allOf: [refTo(META.listMeta)] },
    },
    "x-kubernetes-group-version-kind": [{ group, version, kind: listKind }],
  };
}

/** Schemas of custom kinds are trees whose depth was bounded when their definition was accepted. */
function published(schema: Schema): Component {
  const { properties, additionalProperties, items, ...rest } = schema;
  const component: Component = { ...rest };
  if (properties) {
    const shown: Component = {};
    for (const name of Object.keys(properties)) set(shown, name, published(properties[name] ?? {}));
    component["properties"] = shown;
  }
  if (additionalProperties !== undefined)
    component["additionalProperties"] =
      typeof additionalProperties === "boolean" ? additionalProperties : published(additionalProperties);
  if (items) component["items"] = published(items);
  if (schema["x-kubernetes-int-or-string"] && !schema.anyOf && !schema.allOf)
    component["anyOf"] = [{ type: "integer" }, { type: "string" }];
  if (schema["x-kubernetes-embedded-resource"]) {
    const own = isObject(component["properties"]) ? component["properties"] : {};
    component["properties"] = { ...own, apiVersion: API_VERSION, kind: KIND, metadata: objectMeta() };
    component["required"] = [...new Set([...(schema.required ?? []), "kind", "apiVersion"])];
  }
  return component;
}
