import { equal, isObject } from "../object/json.ts";
import type { KubeObject, ManagedFieldsEntry } from "../object/meta.ts";
import type { Schema } from "../schema/schema.ts";
import { capUpdaters } from "./cap-updaters.ts";
import { compareObjects } from "./compare-objects.ts";
import type { Comparison } from "./compare-objects.ts";
import { difference, EMPTY, fieldSetOf, isEmpty, union } from "./field/field-set.ts";
import type { FieldSet } from "./field/field-set.ts";
import { decodeOwners, encodeOwners, identityOf } from "./managed-entries.ts";
import type { Owner, Owners } from "./managed-entries.ts";
import type { OtherVersions } from "./other-versions.ts";
import { PatchError } from "./patch-error.ts";
import { zeroObject } from "./zero-object.ts";

export interface Write {
  /** The object as it was; absent when this write creates it. */
  before: KubeObject | undefined;
  after: KubeObject;
  schema: Schema;
  manager: string;
  apiVersion: string;
  /** `status`, `scale`, …; empty for the object itself. */
  subresource: string;
  /** RFC 3339, in whole seconds. Absent where the time of a write is not kept. */
  time: string | undefined;
  /** Fields this endpoint does not write: nobody comes to own them here. */
  ignored?: FieldSet | undefined;
  /** Where the kind has several. */
  versions?: OtherVersions | undefined;
}

/**
 * Who owns what after a create, update or patch: the writer owns what it added or changed, and whoever owned that
 * before, or something that is gone, owns it no more. Returns what `metadata.managedFields` must be.
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
    // Tracking starts with the object, or with the first apply: managers before that are unknown.
    if (known.size === 0 && before !== undefined) return undefined;
    const owners = inKnownVersions(known, write.versions);
    const compareIn = comparer(write, base, withoutManagedFields(after), comparison);
    return encodeOwners(recordWrite(owners, comparison, write, compareIn));
  } catch (error) {
    // A list that breaks its own keys cannot be tracked, which is no reason to refuse the write.
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

/** What a write changed, as the fields of another version. */
export type CompareIn = (apiVersion: string) => Comparison;

/** Compares in the version of each owner, once a version. */
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

/** Without those who owned in a version that is no more. */
export function inKnownVersions(owners: Owners, versions: OtherVersions | undefined): Owners {
  if (!versions) return owners;
  return new Map([...owners].filter(([, { apiVersion }]) => versions.schemaOf(apiVersion) !== undefined));
}

/** Takes fields from every owner but one; an owner left with nothing goes. */
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

/** Names and bookkeeping: the server's, or what makes the object this one and not another. */
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

/** The object as comparisons see it: who owns the list of owners is no question. */
export function withoutManagedFields<T extends KubeObject>(object: T): T {
  if (!isObject(object.metadata) || object.metadata.managedFields === undefined) return object;
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/**
 * A client may edit the list of owners, or clear it with `[{}]`. One that sends none, or nonsense, did not mean to:
 * what is stored stays. Through a subresource it cannot be edited at all.
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

/** Decoded into a Go struct, an empty list is not the same as none; in a custom resource it is. */
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
