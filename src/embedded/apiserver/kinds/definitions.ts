import { linkDefinitions, type RawSchema } from "../../../language/schema/link.ts";
import type { GoEncoding, Schema } from "../../../language/schema/schema.ts";
import generated from "./generated/definitions.json" with { type: "json" };

/** What the messages of decoding errors need beyond the shared schema. */
export interface BuiltinGo extends GoEncoding {
  /** The Go types of fields with a named type: `v1.DNSPolicy`. Of a list, the type of its elements. */
  types?: Record<string, string>;
  /** Fields of embedded structs, and the name of the struct: `httpGet` of a Probe is in `ProbeHandler`. */
  inline?: Record<string, string>;
}

const components = generated as unknown as Readonly<Record<string, RawSchema>>;
const linked = linkDefinitions(components);

/** Every generated component by name, with `$ref`s, as OpenAPI documents contain it. */
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

/** The linked schema of a component: it contains other schemas instead of referring to them. */
export function definition(name: string): Schema {
  const schema = linked[name];
  if (!schema) throw new Error(`find schema definition ${name}: not generated`);
  return schema;
}

export function definitionOf(group: string, version: string, kind: string): Schema {
  return definition(definitionName(group, version, kind));
}
