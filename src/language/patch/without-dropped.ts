import type { KubeObject } from "../object/meta.ts";
import type { Schema } from "../schema/schema.ts";
import { difference, EMPTY, intersection, isEmpty, isSubset, union } from "./field/field-set.ts";
import type { FieldSet } from "./field/field-set.ts";
import { fieldsOf, withNamedParents } from "./field/fields-of.ts";
import type { Owner, Owners } from "./managed-entries.ts";
import { removeFields } from "./merge-objects.ts";
import type { OtherVersions } from "./other-versions.ts";
import { objectSchema } from "./shape.ts";

export interface Dropping {
  readonly owners: Owners;
  /** What the manager owned by its last apply, and owns now. */
  readonly last: Owner | undefined;
  readonly now: Owner;
  readonly schema: Schema;
  readonly versions: OtherVersions | undefined;
}

/**
 * The merged object without what the manager applied last time and does not now, unless somebody else owns it. `compared`
 * is the same object as ownership sees it: there, fields that are left with nothing are null.
 */
export function withoutDropped(merged: KubeObject, dropping: Dropping): { object: KubeObject; compared: unknown } {
  const { owners, last, now, schema, versions } = dropping;
  if (versions && last && [...owners.values()].some(({ apiVersion }) => apiVersion !== last.apiVersion))
    return acrossVersions(merged, { ...dropping, last, versions });
  const doomed = dropped(merged, owners, last?.fields ?? EMPTY, now.fields, schema);
  if (isEmpty(doomed)) return { object: merged, compared: merged };
  return {
    object: removeFields(merged, doomed, schema, schema.go ? "absent" : "bare") as KubeObject,
    compared: removeFields(merged, doomed, schema, "null"),
  };
}

/** What this manager applied last time and does not now, and that neither it nor anybody else still owns. */
function dropped(merged: unknown, owners: Owners, last: FieldSet, now: FieldSet, schema: Schema): FieldSet {
  if (isSubset(last, now)) return EMPTY;
  const root = objectSchema(schema);
  const lastAndParents = withNamedParents(last, root);
  const before = withNamedParents(fieldsOf(merged, schema), root);
  const stripped = removeFields(merged, lastAndParents, schema, "null");
  let kept = withNamedParents(fieldsOf(stripped, schema), root);
  for (const owner of owners.values()) kept = union(kept, withNamedParents(owner.fields, root));
  // What nobody owns went with its parent for a moment; it comes back unless it was this manager's.
  const pruned = removeFields(merged, difference(before, kept), schema, "null");
  const left = withNamedParents(fieldsOf(pruned, schema), root);
  return intersection(difference(before, left), lastAndParents);
}

/**
 * The same where owners speak several versions. Removal happens in the version of the last apply; what others own comes
 * back in the version of each.
 */
function acrossVersions(
  merged: KubeObject,
  { owners, last, now, versions }: Dropping & { last: Owner; versions: OtherVersions },
): { object: KubeObject; compared: unknown } {
  const whole = versions.convert(merged, last.apiVersion);
  const lastFields = named(last.fields, last.apiVersion, versions);
  let rest = removed(whole, lastFields, last.apiVersion, versions);
  // First those of the same version: without what they own, the object might not convert.
  const inOrder = new Set([last.apiVersion, ...[...owners.values()].map(({ apiVersion }) => apiVersion)]);
  for (const version of inOrder) {
    let owned = EMPTY;
    for (const owner of owners.values()) if (owner.apiVersion === version) owned = union(owned, owner.fields);
    const all = versions.convert(merged, version);
    const kept = union(fieldsIn(versions.convert(rest, version), version, versions), named(owned, version, versions));
    rest = removed(all, difference(fieldsIn(all, version, versions), kept), version, versions);
  }
  const left = fieldsIn(versions.convert(rest, last.apiVersion), last.apiVersion, versions);
  const gone = intersection(difference(fieldsIn(whole, last.apiVersion, versions), left), lastFields);
  const object = isEmpty(gone)
    ? merged
    : versions.convert(removed(whole, gone, last.apiVersion, versions), now.apiVersion);
  return { object, compared: object };
}

function schemaIn(version: string, versions: OtherVersions): Schema {
  return versions.schemaOf(version) ?? {};
}

function named(fields: FieldSet, version: string, versions: OtherVersions): FieldSet {
  return withNamedParents(fields, objectSchema(schemaIn(version, versions)));
}

function fieldsIn(object: KubeObject, version: string, versions: OtherVersions): FieldSet {
  return named(fieldsOf(object, schemaIn(version, versions)), version, versions);
}

function removed(object: KubeObject, fields: FieldSet, version: string, versions: OtherVersions): KubeObject {
  return removeFields(object, fields, schemaIn(version, versions), "bare") as KubeObject;
}
