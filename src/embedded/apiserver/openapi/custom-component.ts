import { isObject, set } from "../../../language/object/json.ts";
import type { Schema } from "../../../language/schema/schema.ts";
import type { Resource } from "../resource.ts";
import { describedEverywhere } from "./describe.ts";
import { META, refTo } from "./names.ts";

type Component = Record<string, unknown>;

const API_VERSION = { type: "string", description: describedEverywhere("apiVersion") };
const KIND = { type: "string", description: describedEverywhere("kind") };
const objectMeta = () => ({
  description: describedEverywhere("metadata"),
  allOf: [refTo(META.objectMeta)],
});

/** A custom kind's schema in OpenAPI: metadata by reference, the rest from its definition. */
export function customComponent({ schema, group, version, kind, selectableFields }: Resource): Component {
  const component = published(schema);
  const properties = isObject(component["properties"]) ? component["properties"] : {};
  const fields = Object.keys(selectableFields);
  return {
    ...component,
    properties: { ...properties, apiVersion: API_VERSION, kind: KIND, metadata: objectMeta() },
    "x-kubernetes-group-version-kind": [{ group, version, kind }],
    ...(fields.length > 0 ? { "x-kubernetes-selectable-fields": fields.map((fieldPath) => ({ fieldPath })) } : {}),
  };
}

/** The list of any kind. */
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

/** Recursion is safe: the depth of the schema was checked when its definition was validated. */
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
