import { isObject } from "../object/json.ts";
import type { ManagedFieldsEntry } from "../object/meta.ts";
import { EMPTY, type FieldSet, parseFieldsV1, toFieldsV1, union } from "./field/field-set.ts";
import { PatchError } from "./patch-error.ts";

/** What one manager owns: a decoded entry of `metadata.managedFields`. */
export interface Owner {
  readonly manager: string;
  readonly operation: "Apply" | "Update";
  readonly apiVersion: string;
  readonly subresource: string;
  readonly time: string | undefined;
  readonly fields: FieldSet;
  /** The stored entry, as long as it is unchanged and need not be encoded again. */
  readonly entry?: ManagedFieldsEntry | undefined;
}

/** Owners by identity, which for an updater includes the version it wrote in, and for an applier does not. */
export type Owners = Map<string, Owner>;

export function identityOf(owner: Pick<Owner, "manager" | "operation" | "apiVersion" | "subresource">): string {
  const { manager, operation, apiVersion, subresource } = owner;
  return JSON.stringify({
    manager,
    operation,
    ...(operation === "Update" ? { apiVersion } : {}),
    ...(subresource === "" ? {} : { subresource }),
  });
}

/** Throws a PatchError for an entry that the server would not have written. */
export function decodeOwners(entries: unknown, from: "store" | "request" = "store"): Owners {
  const owners: Owners = new Map();
  if (entries === undefined || entries === null) return owners;
  if (!Array.isArray(entries)) throw bad("expected a list");
  for (const entry of entries) {
    const owner = decodeOwner(entry, from);
    owners.set(identityOf(owner), owner);
  }
  return owners;
}

/** Sorted as kube-apiserver does: appliers first, then by time, then by name. Undefined if there are no owners. */
export function encodeOwners(owners: Owners): ManagedFieldsEntry[] | undefined {
  if (owners.size === 0) return undefined;
  return [...owners.values()].sort(compareOwners).map((owner) => owner.entry ?? encodeOwner(owner));
}

export function compareOwners(a: Owner, b: Owner): number {
  return (
    compareTexts(a.operation, b.operation) ||
    seconds(a.time) - seconds(b.time) ||
    compareTexts(a.manager, b.manager) ||
    compareTexts(a.apiVersion, b.apiVersion) ||
    compareTexts(a.subresource, b.subresource)
  );
}

/** Unix time of an entry; an entry without a time counts as the oldest. */
export function seconds(time: string | undefined): number {
  const milliseconds = time === undefined ? 0 : Date.parse(time);
  return Number.isNaN(milliseconds) ? 0 : Math.floor(milliseconds / 1000);
}

export function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function decodeOwner(entry: unknown, from: "store" | "request"): Owner {
  if (!isObject(entry)) throw bad("expected an object");
  const operation = entry["operation"];
  if (operation !== "Apply" && operation !== "Update") throw bad("operation must be `Apply` or `Update`");
  const apiVersion = textOf(entry, "apiVersion");
  if (apiVersion === undefined) throw bad("apiVersion must not be empty");
  if (entry["fieldsType"] !== "FieldsV1") throw bad("fieldsType must be FieldsV1");
  return {
    manager: textOf(entry, "manager") ?? "",
    operation,
    apiVersion,
    subresource: textOf(entry, "subresource") ?? "",
    time: textOf(entry, "time"),
    fields: parseFieldsV1(entry["fieldsV1"] ?? {}, from === "store" ? "ours" : "any"),
    // An entry from a client may be spelled differently, and is encoded again.
    ...(from === "store" ? { entry } : {}),
  };
}

function encodeOwner(owner: Owner): ManagedFieldsEntry {
  const fieldsV1 = toFieldsV1(owner.fields);
  const entry: ManagedFieldsEntry = {};
  if (owner.manager !== "") entry.manager = owner.manager;
  entry.operation = owner.operation;
  entry.apiVersion = owner.apiVersion;
  if (owner.time !== undefined) entry.time = owner.time;
  entry.fieldsType = "FieldsV1";
  entry.fieldsV1 = fieldsV1;
  if (owner.subresource !== "") entry.subresource = owner.subresource;
  return entry;
}

function textOf(entry: Record<string, unknown>, name: string): string | undefined {
  const value = entry[name];
  if (value === undefined || value === null || value === "") return undefined;
  if (typeof value !== "string") throw bad(`${name} must be a string`);
  return value;
}

function bad(why: string): PatchError {
  return new PatchError("internal", `failed to decode managed fields: ${why}`);
}

const MAX_UPDATERS = 10;

/**
 * Every manager that ever updated an object leaves an entry. Beyond ten, the oldest entries of each version are merged
 * into one of the manager `ancient-changes`, as kube-apiserver does.
 */
export function capUpdaters(owners: Owners): Owners {
  const updaters = [...owners].filter(([, owner]) => owner.operation === "Update");
  if (updaters.length <= MAX_UPDATERS) return owners;
  updaters.sort(([a, { time: timeA }], [b, { time: timeB }]) => seconds(timeA) - seconds(timeB) || compareTexts(a, b));
  let excess = updaters.length - MAX_UPDATERS;
  const firstOfVersion = new Map<string, string>();
  for (const [identity, owner] of updaters) {
    if (excess === 0) break;
    const first = firstOfVersion.get(owner.apiVersion);
    if (first === undefined) {
      firstOfVersion.set(owner.apiVersion, identity);
      continue;
    }
    const bucket = {
      manager: "ancient-changes",
      operation: "Update",
      apiVersion: owner.apiVersion,
      subresource: "",
    } as const;
    const into = identityOf(bucket);
    const merged = owners.get(into) ?? owners.get(first);
    if (!owners.has(into)) owners.delete(first);
    owners.delete(identity);
    owners.set(into, { ...bucket, time: owner.time, fields: union(merged?.fields ?? EMPTY, owner.fields) });
    excess--;
  }
  return owners;
}
