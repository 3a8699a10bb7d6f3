import { apiVersionOf, type KubeObject } from "../../../object/meta.ts";
import type { Resource } from "../../resource.ts";
import type { Attributes } from "../admission.ts";

/** The object in the version that a webhook was promised. What a subresource speaks has but one. */
export function inVersion(
  object: KubeObject | undefined,
  { kind, resource }: Attributes,
  shownAs: Resource,
): KubeObject | undefined {
  if (!object || kind !== resource || shownAs === resource) return object;
  return { ...object, apiVersion: apiVersionOf(shownAs.group, shownAs.version) };
}
