import { fieldElement } from "../../patch/field-path.ts";
import { fieldSetOf, type FieldSet } from "../../patch/field-set.ts";
import type { Resource } from "../resource.ts";

/** Fields an endpoint does not write, which therefore nobody comes to own through it. */
export function ignoredFor(resource: Resource, subresource: string): FieldSet | undefined {
  const fields =
    subresource === ""
      ? (resource.strategy.ignoredFields ?? [])
      : Object.keys(resource.schema.properties ?? {}).filter(isNotStatus);
  return fields.length === 0 ? undefined : fieldSetOf(...fields.map((field) => [fieldElement(field)]));
}

function isNotStatus(field: string): boolean {
  return !["status", "metadata", "apiVersion", "kind"].includes(field);
}
