import generated from "./generated/definitions.json" with { type: "json" };
import type { GoEncoding, Schema } from "../../schema/schema.ts";

/** What decoding knows beyond the shared schema, for the words of its errors. */
export interface BuiltinGo extends GoEncoding {
  /** Go's names of fields' named types: `v1.DNSPolicy`. Of a list, the name of its elements' type. */
  types?: Record<string, string>;
  /** Fields that stand in an embedded struct, and its name: `httpGet` of a Probe is in `ProbeHandler`. */
  inline?: Record<string, string>;
}

/** A component as OpenAPI publishes it: fields refer to other components by `$ref`. */
export type Component = Readonly<Record<string, unknown>>;

const components = generated as unknown as Readonly<Record<string, Component>>;
const linked = new Map<string, Schema>();
const prefix = "#/components/schemas/";

/** Every generated component by name, unlinked: what OpenAPI documents are made of. */
export function definitions(): Readonly<Record<string, Component>> {
  return components;
}

/** `apps`, `v1`, `DaemonSet` → `io.k8s.api.apps.v1.DaemonSet`. */
export function definitionName(group: string, version: string, kind: string): string {
  if (group === "apiextensions.k8s.io")
    return `io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.${version}.${kind}`;
  if (group === "meta.k8s.io") return `io.k8s.apimachinery.pkg.apis.meta.${version}.${kind}`;
  const dot = group.indexOf(".");
  const short = group === "" ? "core" : dot < 0 ? group : group.slice(0, dot);
  return `io.k8s.api.${short}.${version}.${kind}`;
}

/** The linked schema of a component; linked on first use, with all it reaches. */
export function definition(name: string): Schema {
  const known = linked.get(name);
  if (known) return known;
  const component = Object.hasOwn(components, name) ? components[name] : undefined;
  if (!component) throw new Error(`find schema definition ${name}: not generated`);
  const schema: Schema = {};
  // Entered before its fields are linked: JSONSchemaProps contains itself.
  linked.set(name, schema);
  return Object.assign(schema, link(component));
}

export function definitionOf(group: string, version: string, kind: string): Schema {
  return definition(definitionName(group, version, kind));
}

function link(component: Component): Schema {
  const { $ref, properties, items, additionalProperties, ...rest } = component;
  if (typeof $ref === "string") {
    const target = definition($ref.slice(prefix.length));
    return Object.keys(rest).length > 0 ? { ...target, ...rest } : target;
  }
  const schema = rest as Schema;
  if (properties) {
    schema.properties = {};
    for (const [field, value] of Object.entries(properties as Record<string, Component>))
      schema.properties[field] = link(value);
  }
  if (items) schema.items = link(items as Component);
  if (additionalProperties) schema.additionalProperties = link(additionalProperties as Component);
  return schema;
}
