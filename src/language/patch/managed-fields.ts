import { equal, isObject, set } from "../object/json.ts";
import type { KubeObject, ManagedFieldsEntry } from "../object/meta.ts";
import type { Schema } from "../schema/schema.ts";
import { compareObjects } from "./compare-objects.ts";
import type { Comparison } from "./compare-objects.ts";
import { difference, EMPTY, fieldSetOf, isEmpty, union } from "./field/field-set.ts";
import type { FieldSet } from "./field/field-set.ts";
import { capUpdaters, decodeOwners, encodeOwners, identityOf } from "./managed-entries.ts";
import type { Owner, Owners } from "./managed-entries.ts";
import { PatchError } from "./patch-error.ts";

/** A kind with several versions. The fields of each manager are those of the version it wrote in. */
export interface OtherVersions {
  /** Undefined if the kind no longer has the version: what was owned in it has no owner. */
  schemaOf(apiVersion: string): Schema | undefined;
  /** A new object, or the same one if it already is in that version. */
  convert(object: KubeObject, apiVersion: string): KubeObject;
}

export interface Write {
  /** The object as it was; absent when this write creates it. */
  before: KubeObject | undefined;
  after: KubeObject;
  schema: Schema;
  manager: string;
  apiVersion: string;
  /** `status`, `scale`, …; empty for the object itself. */
  subresource: string;
  /** RFC 3339, in whole seconds. Undefined if the time of the write is not recorded. */
  time: string | undefined;
  /** Fields that this endpoint does not write, and so no manager comes to own through it. */
  ignored?: FieldSet | undefined;
  /** Only for kinds with several versions. */
  versions?: OtherVersions | undefined;
}

/**
 * The new `metadata.managedFields` after a create, update or patch: the writer owns the fields it added or changed; their
 * former owners lose them, and all managers lose the fields that were removed.
 */
export function updateManagedFields(write: Write): ManagedFieldsEntry[] | undefined {
  const { before, after, schema, ignored } = write;
  const stored = before?.metadata.managedFields;
  const source = sourceOf(write);
  try {
    const base = before === undefined ? zeroObject(schema) : withoutManagedFields(before);
    const comparison = compareObjects(base, withoutManagedFields(after), schema, ignored);
    if (before !== undefined && source === "stored" && isSame(comparison)) return stored;
    const known = ownersFrom(source, write);
    // Tracking starts when an object is created or first applied; earlier managers are unknown.
    if (known.size === 0 && before !== undefined) return undefined;
    const owners = inKnownVersions(known, write.versions);
    const compareIn = comparer(write, base, withoutManagedFields(after), comparison);
    return encodeOwners(recordWrite(owners, comparison, write, compareIn));
  } catch (error) {
    // A list with invalid keys cannot be tracked, but the write must not fail for that.
    if (error instanceof PatchError) return stored;
    throw error;
  }
}

export function recordWrite(
  owners: Owners,
  comparison: Comparison,
  writer: Pick<Write, "manager" | "apiVersion" | "subresource" | "time">,
  compareIn: CompareIn = () => comparison,
): Owners {
  const taken = union(comparison.added, comparison.modified);
  const changed = union(taken, comparison.removed);
  const result = disown(owners, ({ apiVersion }) => {
    const other = compareIn(apiVersion);
    return other === comparison ? changed : union(union(other.added, other.modified), other.removed);
  });
  const fields = difference(taken, NEVER_OWNED);
  if (isEmpty(fields)) return result;
  const owner: Owner = {
    manager: writer.manager === "" ? "unknown" : writer.manager,
    operation: "Update",
    apiVersion: writer.apiVersion,
    subresource: writer.subresource,
    time: writer.time,
    fields,
  };
  const identity = identityOf(owner);
  result.set(identity, { ...owner, fields: union(result.get(identity)?.fields ?? EMPTY, fields) });
  return capUpdaters(result);
}

/** What a write changed, as fields of the given version. */
export type CompareIn = (apiVersion: string) => Comparison;

/** Compares in the version of each owner, once per version. */
export function comparer(
  { apiVersion, versions, ignored }: Pick<Write, "apiVersion" | "versions" | "ignored">,
  before: unknown,
  after: unknown,
  own: Comparison,
): CompareIn {
  if (!versions) return () => own;
  const known = new Map([[apiVersion, own]]);
  return (version) => {
    let found = known.get(version);
    if (!found) {
      const schema = versions.schemaOf(version);
      const convert = (object: unknown): unknown => versions.convert(object as KubeObject, version);
      found = schema ? compareObjects(convert(before), convert(after), schema, ignored) : own;
      known.set(version, found);
    }
    return found;
  };
}

/** The owners whose version the kind still has. */
export function inKnownVersions(owners: Owners, versions: OtherVersions | undefined): Owners {
  if (!versions) return owners;
  return new Map([...owners].filter(([, { apiVersion }]) => versions.schemaOf(apiVersion) !== undefined));
}

/** Removes fields from every owner but one, and removes owners that are left without fields. */
export function disown(
  owners: Owners,
  fieldsFor: (owner: Owner, identity: string) => FieldSet,
  except?: string,
): Owners {
  const result: Owners = new Map();
  for (const [identity, owner] of owners) {
    const kept = identity === except ? owner.fields : difference(owner.fields, fieldsFor(owner, identity));
    if (kept === owner.fields) result.set(identity, owner);
    else if (!isEmpty(kept)) result.set(identity, { ...owner, fields: kept, entry: undefined });
  }
  return result;
}

/** Fields that identify the object or that only the server sets: kube-apiserver records no owner for them. */
export const NEVER_OWNED: FieldSet = fieldSetOf(
  ["f:apiVersion"],
  ["f:kind"],
  ["f:metadata"],
  ...[
    "name",
    "namespace",
    "creationTimestamp",
    "selfLink",
    "uid",
    "clusterName",
    "generation",
    "managedFields",
    "resourceVersion",
  ].map((name) => ["f:metadata", `f:${name}`]),
);

/** The object as it is compared: `managedFields` itself has no owner. */
export function withoutManagedFields<T extends KubeObject>(object: T): T {
  if (!isObject(object.metadata) || object.metadata.managedFields === undefined) return object;
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/**
 * A client may edit `managedFields`, or clear it with `[{}]`. If it sends none or an invalid list, the stored one stays.
 * Through a subresource `managedFields` cannot be edited.
 */
function sourceOf(write: Write): "stored" | "sent" | "none" {
  const sent: unknown = write.after.metadata.managedFields;
  if (write.subresource !== "" || sent === undefined || sent === null) return "stored";
  if (isReset(sent, write.schema)) return "none";
  return equal(write.before?.metadata.managedFields, sent) ? "stored" : "sent";
}

function ownersFrom(source: "stored" | "sent" | "none", write: Write): Owners {
  if (source === "none") return new Map();
  const sent = source === "sent" ? lenient(write.after.metadata.managedFields, "request") : undefined;
  return sent !== undefined && sent.size > 0 ? sent : lenient(write.before?.metadata.managedFields, "store");
}

function isSame({ added, modified, removed }: Comparison): boolean {
  return isEmpty(added) && isEmpty(modified) && isEmpty(removed);
}

/** An empty list clears the owners of a built-in kind, which Go decodes into a struct, but not of a custom resource. */
function isReset(sent: unknown, schema: Schema): boolean {
  if (!Array.isArray(sent)) return false;
  return sent.length === 0 ? schema.go !== undefined : sent.length === 1 && isBlank(sent[0]);
}

function lenient(entries: unknown, from: "store" | "request"): Owners {
  try {
    return decodeOwners(entries, from);
  } catch (error) {
    if (error instanceof PatchError) return new Map();
    throw error;
  }
}

function isBlank(entry: unknown): boolean {
  return isObject(entry) && Object.values(entry).every((value) => value === "" || value === null);
}

/**
 * The `metadata.managedFields` to store: a write that changes only the times of entries keeps the old times, so that it
 * does not create a new resourceVersion. Called last, after defaults and admission.
 */
export function keepTimesOfNoOp(before: KubeObject, after: KubeObject): ManagedFieldsEntry[] | undefined {
  const old = before.metadata.managedFields;
  const now = after.metadata.managedFields;
  if (old === undefined || now === undefined || old.length !== now.length) return now;
  if (!now.every((entry, i) => equal({ ...entry, time: "" }, { ...old[i], time: "" }))) return now;
  return equal(withoutManagedFields(before), withoutManagedFields(after)) ? old : now;
}

/**
 * The zero value of the Go type: structs without omitempty are present. A create is compared with it, so the creator of a
 * built-in kind does not own `spec` itself, while the creator of a custom resource does.
 */
export function zeroObject(schema: Schema | undefined): Record<string, unknown> {
  const zero: Record<string, unknown> = {};
  const always = schema?.go?.always;
  if (always === undefined) return zero;
  for (const key of Object.keys(always)) {
    const value = always[key];
    set(zero, key, isObject(value) ? { ...zeroObject(schema?.properties?.[key]), ...value } : value);
  }
  return zero;
}
