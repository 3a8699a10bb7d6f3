import type { KubeObject } from "../object/meta.ts";
import type { Schema } from "../schema/schema.ts";
import { difference, EMPTY, intersection, isEmpty, isSubset, union } from "./field/field-set.ts";
import type { FieldSet } from "./field/field-set.ts";
import { fieldsOf, withNamedParents } from "./field/fields-of.ts";
import type { Owner, Owners } from "./managed-entries.ts";
import { removeFields } from "./merge-objects.ts";
import type { OtherVersions } from "./managed-fields.ts";
import { objectSchema } from "./shape.ts";

export interface Dropping {
  readonly owners: Owners;
  /** What the manager owned after its last apply, if any, and what it owns now. */
  readonly last: Owner | undefined;
  readonly now: Owner;
  readonly schema: Schema;
  readonly versions: OtherVersions | undefined;
}

/**
 * The merged object without the fields that the manager applied last time and no longer applies, unless another manager
 * owns them. `compared` is the same object for comparisons: there, emptied containers are null.
 */
export function withoutDropped(merged: KubeObject, dropping: Dropping): { object: KubeObject; compared: unknown } {
  const { owners, last, schema, versions } = dropping;
  if (versions && last && [...owners.values()].some(({ apiVersion }) => apiVersion !== last.apiVersion))
    return acrossVersions(merged, { ...dropping, last, versions });
  const fields = droppedFields(merged, dropping);
  if (isEmpty(fields)) return { object: merged, compared: merged };
  return {
    object: removeFields(merged, fields, schema, schema.go ? "absent" : "bare") as KubeObject,
    compared: removeFields(merged, fields, schema, "null"),
  };
}

/** The fields that the manager applied last time, and that neither it nor another manager owns now. */
function droppedFields(merged: unknown, { owners, last, now, schema }: Dropping): FieldSet {
  if (last === undefined || isSubset(last.fields, now.fields)) return EMPTY;
  const root = objectSchema(schema);
  const lastAndParents = withNamedParents(last.fields, root);
  const before = withNamedParents(fieldsOf(merged, schema), root);
  const stripped = removeFields(merged, lastAndParents, schema, "null");
  let kept = withNamedParents(fieldsOf(stripped, schema), root);
  for (const owner of owners.values()) kept = union(kept, withNamedParents(owner.fields, root));
  // `stripped` also lost fields without an owner, together with their parents; only fields of this manager are dropped.
  const pruned = removeFields(merged, difference(before, kept), schema, "null");
  const left = withNamedParents(fieldsOf(pruned, schema), root);
  return intersection(difference(before, left), lastAndParents);
}

/**
 * The same for owners in several versions. Fields are removed in the version of the last apply; fields of other owners
 * are restored, each in the version of its owner.
 */
function acrossVersions(
  merged: KubeObject,
  { owners, last, now, versions }: Dropping & { last: Owner; versions: OtherVersions },
): { object: KubeObject; compared: unknown } {
  const whole = versions.convert(merged, last.apiVersion);
  const lastFields = named(last.fields, last.apiVersion, versions);
  let rest = removed(whole, lastFields, last.apiVersion, versions);
  // Owners of the same version come first: without their fields, the object might not convert.
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
