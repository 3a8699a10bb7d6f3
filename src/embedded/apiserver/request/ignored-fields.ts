import { fieldElement } from "../../../language/patch/field/field-path.ts";
import { fieldSetOf, type FieldSet } from "../../../language/patch/field/field-set.ts";
import type { Resource } from "../resource.ts";

/** Fields that an endpoint does not write, so that no manager comes to own them through it. */
export function ignoredFor(resource: Resource, subresource: string): FieldSet | undefined {
  const part = resource.subresources[subresource];
  const fields =
    part?.type === "status"
      ? othersThan(resource, [
          ...(part.keepsMetadata ? [] : ["metadata"]),
          "apiVersion",
          "kind",
          ...(part.writes ?? ["status"]),
        ])
      : (resource.strategy.ignoredFields ?? []);
  return fields.length === 0 ? undefined : fieldSetOf(...fields.map((field) => [fieldElement(field)]));
}

function othersThan(resource: Resource, written: readonly string[]): string[] {
  return Object.keys(resource.schema.properties ?? {}).filter((field) => !written.includes(field));
}
