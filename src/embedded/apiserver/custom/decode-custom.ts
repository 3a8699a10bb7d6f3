import { isObject } from "../../../language/object/json.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { TooDeepError } from "../../../language/schema/depth.ts";
import { embeddedResources } from "../../../language/schema/embedded-resource.ts";
import { pruneUnknown } from "../../../language/schema/prune.ts";
import { decodeBuiltin } from "../kinds/decode/decode.ts";
import { definitionOf } from "../kinds/definitions.ts";
import type { Resource } from "../resource.ts";
import { badRequest } from "../status-error.ts";

export interface DecodedCustom {
  readonly object: KubeObject;
  /** Paths of unknown fields, which were removed from the object. */
  readonly unknown: string[];
}

/**
 * Prunes a custom object in place by its schema and returns it. Metadata is decoded as that of a built-in kind. The object
 * is not defaulted or validated.
 */
export function decodeCustom(raw: KubeObject, resource: Pick<Resource, "schema">): DecodedCustom {
  let unknown: string[];
  try {
    unknown = pruneUnknown(raw, resource.schema, { root: true });
  } catch (error) {
    if (error instanceof TooDeepError) throw badRequest(`the object nests too deeply: ${error.message}`);
    throw error;
  }
  readMetadata(raw, "", unknown);
  for (const { resource: embedded, path } of embeddedResources(raw, resource.schema))
    readMetadata(embedded, `${path}.`, unknown);
  return { object: raw, unknown };
}

function readMetadata(object: Record<string, unknown>, prefix: string, unknown: string[]): void {
  if (!isObject(object.metadata)) return;
  const metadata = decodeBuiltin(object.metadata, definitionOf("meta.k8s.io", "v1", "ObjectMeta"));
  object.metadata = metadata.object;
  for (const field of metadata.unknown) unknown.push(`${prefix}metadata.${field}`);
}
