import { isObject } from "../object/json.ts";
import type { ManagedFieldsEntry } from "../object/meta.ts";
import { parseFieldsV1, toFieldsV1 } from "./field/field-set.ts";
import type { FieldSet } from "./field/field-set.ts";
import { PatchError } from "./patch-error.ts";

/** What one manager owns, as it is while it is being worked out. */
export interface Owner {
  readonly manager: string;
  readonly operation: "Apply" | "Update";
  readonly apiVersion: string;
  readonly subresource: string;
  readonly time: string | undefined;
  readonly fields: FieldSet;
  /** The stored entry while nothing of it has changed: writing it out again would give the same. */
  readonly entry?: ManagedFieldsEntry;
}

/** Owners by identity. An applier is the same whatever version it applies in, an updater is not. */
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

/** Throws when an entry is not one that the server would have written. */
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

/** Sorted as the server sorts: appliers first, then the older, then by name. Nothing when nobody owns anything. */
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

/** Unix time of an entry; one without a time counts as the oldest. */
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
    // What a client sends may be spelled in any way, and is written anew.
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
