import type { KubeObject } from "../../../../language/object/meta.ts";
import type { Lookup, Resource } from "../../resource.ts";
import type { Attributes } from "../admission.ts";

export function isNamespace({ group, plural }: Pick<Resource, "group" | "plural">): boolean {
  return group === "" && plural === "namespaces";
}

/** The namespace object around a write, undefined for namespaces themselves and what is cluster-wide. */
export function surroundingNamespace({ resource, namespace }: Attributes, objects: Lookup): KubeObject | undefined {
  return namespace === "" || isNamespace(resource) ? undefined : objects.head("namespaces", namespace);
}
