import type { KubeObject } from "../../../language/object/meta.ts";
import { pruneUnknown } from "../../../language/schema/prune.ts";
import { apiVersion } from "../registry.ts";
import type { Resource } from "../resource.ts";

/** Converted by nobody: the object says another version, and has only what that one knows. Changes it. */
export function relabel(object: KubeObject, to: Resource): KubeObject {
  if (object.apiVersion === apiVersion(to)) return object;
  object.apiVersion = apiVersion(to);
  pruneUnknown(object, to.schema, { root: true });
  return object;
}
