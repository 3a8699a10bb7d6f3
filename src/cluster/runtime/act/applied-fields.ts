import { equal, get, isObject, set } from "../../../language/object/json.ts";
import type { KubeObject, ObjectMeta } from "../../../language/object/meta.ts";

/** The metadata fields that an apply may contain. */
const appliedMetadata = ["name", "namespace", "uid", "labels", "annotations", "ownerReferences", "finalizers"] as const;

/** The body of a server-side apply: the planned fields without status and without fields that only the server sets. */
export function applyBody(wanted: KubeObject): KubeObject {
  const metadata: ObjectMeta = {};
  for (const field of appliedMetadata)
    if (wanted.metadata[field] !== undefined) Object.assign(metadata, { [field]: wanted.metadata[field] });
  const { status: _, ...rest } = wanted;
  return { ...rest, metadata };
}

/**
 * Whether an apply would change nothing: the object has every wanted value, and our field manager owns these fields and
 * no others. Without managedFields, which a cache may drop, only the values are compared. May return false although
 * nothing would change (a default in a list key, `1000m` for `1`): that costs one request that changes nothing.
 */
export function isApplied(wanted: KubeObject, observed: KubeObject, manager: string): boolean {
  const fields = contentOf(applyBody(wanted));
  const entries = observed.metadata.managedFields;
  if (!entries) return hasValues(fields, observed);
  const ours = entries.find((entry) => entry.manager === manager && entry.operation === "Apply" && !entry.subresource);
  return ours !== undefined && ours.apiVersion === wanted.apiVersion && holds(fields, ours.fieldsV1, observed);
}

/** Without the fields that identify the object: no manager owns them. */
function contentOf(body: KubeObject): Record<string, unknown> {
  const { name: _name, namespace: _namespace, uid: _uid, ...metadata } = body.metadata;
  const content: Record<string, unknown> = {};
  for (const key of Object.keys(body))
    if (key !== "apiVersion" && key !== "kind" && key !== "metadata") set(content, key, body[key]);
  if (Object.keys(metadata).length > 0) content["metadata"] = metadata;
  return content;
}

function hasValues(wanted: unknown, observed: unknown): boolean {
  if (!isObject(wanted)) return equal(wanted, observed);
  return (
    isObject(observed) &&
    Object.keys(wanted).every((key) => wanted[key] === undefined || hasValues(wanted[key], get(observed, key)))
  );
}

/** `owned` is a node of fieldsV1: `f:name` leads into a map, `k:{…}` to an item by its keys, `v:…` names a value of a set. */
function holds(wanted: unknown, owned: unknown, observed: unknown): boolean {
  if (!isObject(owned)) return false;
  const parts = Object.keys(owned).filter((part) => part !== ".");
  // A leaf: a scalar, or a map or list that is owned as a whole.
  if (parts.length === 0) return isEmptyMap(wanted) ? isObject(observed) : equal(wanted, observed);
  if (isObject(wanted)) {
    const keys = Object.keys(wanted).filter((key) => wanted[key] !== undefined);
    return (
      keys.length === parts.length &&
      keys.every((key) => holds(wanted[key], get(owned, `f:${key}`), get(observed, key)))
    );
  }
  if (!Array.isArray(wanted) || !Array.isArray(observed) || wanted.length !== parts.length) return false;
  return parts.every((part) => holdsItem(part, wanted, owned[part], observed));
}

function holdsItem(part: string, wanted: unknown[], owned: unknown, observed: unknown[]): boolean {
  const value: unknown = JSON.parse(part.slice(2));
  if (part.startsWith("v:"))
    return wanted.some((item) => equal(item, value)) && observed.some((item) => equal(item, value));
  const isIt = (item: unknown): boolean => hasValues(value, item);
  const item = wanted.find(isIt);
  return item !== undefined && holds(item, owned, observed.find(isIt));
}

function isEmptyMap(value: unknown): boolean {
  return isObject(value) && Object.keys(value).length === 0;
}
