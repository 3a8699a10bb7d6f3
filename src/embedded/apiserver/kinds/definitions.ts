import { linkDefinitions, type RawSchema } from "../../../language/schema/link.ts";
import type { GoEncoding, Schema } from "../../../language/schema/schema.ts";
import generated from "./generated/definitions.json" with { type: "json" };

/** What decoding knows beyond the shared schema, for the words of its errors. */
export interface BuiltinGo extends GoEncoding {
  /** Go's names of fields' named types: `v1.DNSPolicy`. Of a list, the name of its elements' type. */
  types?: Record<string, string>;
  /** Fields that stand in an embedded struct, and its name: `httpGet` of a Probe is in `ProbeHandler`. */
  inline?: Record<string, string>;
}

const components = generated as unknown as Readonly<Record<string, RawSchema>>;
const linked = linkDefinitions(components);

/** Every generated component by name, with `$ref`s: what OpenAPI documents are made of. */
export function definitions(): Readonly<Record<string, RawSchema>> {
  return components;
}

/** `apps`, `v1`, `DaemonSet` → `io.k8s.api.apps.v1.DaemonSet`. */
export function definitionName(group: string, version: string, kind: string): string {
  if (group === "apiextensions.k8s.io")
    return `io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.${version}.${kind}`;
  if (group === "apiregistration.k8s.io") return `io.k8s.kube-aggregator.pkg.apis.apiregistration.${version}.${kind}`;
  if (group === "meta.k8s.io") return `io.k8s.apimachinery.pkg.apis.meta.${version}.${kind}`;
  const dot = group.indexOf(".");
  const short = group === "" ? "core" : dot < 0 ? group : group.slice(0, dot);
  return `io.k8s.api.${short}.${version}.${kind}`;
}

/** The schema of a component, in which others are contained instead of named. */
export function definition(name: string): Schema {
  const schema = linked[name];
  if (!schema) throw new Error(`find schema definition ${name}: not generated`);
  return schema;
}

export function definitionOf(group: string, version: string, kind: string): Schema {
  return definition(definitionName(group, version, kind));
}
