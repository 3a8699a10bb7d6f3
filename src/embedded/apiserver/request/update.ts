import { clone, equal, get, set } from "../../../language/object/json.ts";
import { collectErrors } from "../../../language/schema/collect-errors.ts";
import type { KubeObject, ManagedFieldsEntry } from "../../../language/object/meta.ts";
import { validateObjectMetaUpdate } from "../../../language/object/validate-meta.ts";
import {
  keepTimesOfNoOp,
  type OtherVersions,
  updateManagedFields,
  withoutManagedFields,
} from "../../../language/patch/managed-fields.ts";
import { invalid } from "../../../language/schema/field-error.ts";
import type { Attributes } from "../admission/admission.ts";
import type { ParsedBody } from "../body/body.ts";
import { apiVersion } from "../registry.ts";
import type { Resource, Subresource } from "../resource.ts";
import { badRequest, conflict, invalidObject, notFound, StatusError } from "../status-error.ts";
import { asStored } from "../conversion/stored-version.ts";
import { decodeObject } from "../storage/object-codec.ts";
import { StaleWriteError } from "../storage/object-store.ts";
import type { Entry } from "../storage/store.ts";
import { acrossVersions } from "./across-versions.ts";
import { admit, attributesOf, refuseEscalation, validate } from "./admission.ts";
import { allocating } from "./allocating.ts";
import { collectionFor, keyFor, timestamp, type Answer, type RequestContext } from "./context.ts";
import { refuseOverQuota } from "./quota.ts";
import { insert, placeInNamespace } from "./create.ts";
import { draftOf, dryRunAnswer } from "./draft.ts";
import { ignoredFor } from "./ignored-fields.ts";
import { incoming } from "./incoming.ts";
import { finalizerAdvice, metadataFaults } from "./metadata-faults.ts";
import { mayWait, onNewest } from "./on-newest.ts";
import { writeOptions, type WriteOptions } from "./options.ts";

export async function update(context: RequestContext, body: ParsedBody): Promise<Answer> {
  const { resource, name } = context;
  const options = writeOptions(context.query, "UpdateOptions", context.userAgent);
  const object = incoming(resource, body, options, context.warnings);
  placeInNamespace(context, object);
  object.metadata.name ??= name;
  if (object.metadata.name !== name)
    throw badRequest(`the name of the object (${object.metadata.name}) does not match the name on the URL (${name})`);
  // The client's object is copied only if a retry is possible.
  const isKept = mayWait(context);
  const ownCopy = (): KubeObject => (isKept ? clone(object) : object);
  return onNewest(context, async (live) => {
    if (!live) {
      if (!resource.strategy.createOnUpdate || context.subresource !== "" || object.metadata.resourceVersion)
        throw notFound(resource.group, resource.plural, name);
      return insert(context, ownCopy(), options, "update");
    }
    if (resource.strategy.requiresVersion && !object.metadata.resourceVersion) {
      const fault = invalid("metadata.resourceVersion", 0, "must be specified for an update");
      throw invalidObject(resource.group, resource.plural, name, [fault]);
    }
    checkUid(context, object, live);
    return replace(context, { live, object: ownCopy(), options, managed: "update" });
  });
}

/** The uid in a PUT is a precondition. In a patch it is an immutable field. */
function checkUid({ resource, services, name }: RequestContext, { metadata }: KubeObject, live: Entry): void {
  const { uid } = services.views.object(live, resource).metadata;
  if (metadata.uid && metadata.uid !== uid)
    throw conflict(
      resource.group,
      resource.plural,
      name,
      `Precondition failed: UID in precondition: ${metadata.uid}, UID in object meta: ${uid}`,
    );
}

export interface Replacement {
  readonly live: Entry;
  readonly object: KubeObject;
  readonly options: WriteOptions;
  readonly managed: "update" | "apply";
}

/** Stores the next version of an object. See `insert` for `managed`. */
export async function replace(
  context: RequestContext,
  { live, object, options, managed }: Replacement,
): Promise<Answer> {
  const old = context.services.views.object(live, context.resource);
  const owning = own(context, { object, old, options, managed });
  if (owning) await owning;
  const asked = attributesOf(context, {
    operation: "UPDATE",
    object,
    old,
    dryRun: options.dryRun,
    options: () => options.as("UpdateOptions"),
  });
  const admitting = admit(context, asked);
  if (admitting) await admitting;
  const admitted = asked.object as KubeObject;
  return allocating(context, admitted, old, () => store(context, { live, old, object: admitted, options, asked }));
}

/** Sets defaults and managedFields, before the server's own changes, which have no field manager. */
export function own(
  context: RequestContext,
  change: Omit<Replacement, "live"> & { readonly old: KubeObject },
): Promise<void> | undefined {
  const { object, old, managed } = change;
  // Re-applying an unchanged object does not add defaults that are newer than the object.
  if (managed === "apply" && equal(withoutManagedFields(object), withoutManagedFields(old))) return undefined;
  context.resource.strategy.defaults?.(object);
  if (managed === "apply") return undefined;
  const owners = acrossVersions(context, (versions) => managedAfter(context, change, versions));
  if (owners instanceof Promise) return ownedBy(object, owners, old);
  object.metadata.managedFields = owners;
  return undefined;
}

/** Managers of another version cannot be compared if the conversion webhook fails: the write keeps the old managedFields. */
async function ownedBy(
  { metadata }: KubeObject,
  owners: Promise<ManagedFieldsEntry[] | undefined>,
  old: KubeObject,
): Promise<void> {
  try {
    metadata.managedFields = await owners;
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    metadata.managedFields = old.metadata.managedFields;
  }
}

export interface NextVersion {
  readonly live: Entry;
  readonly old: KubeObject;
  readonly object: KubeObject;
  readonly options: WriteOptions;
  /** The attributes that mutating admission saw; validating admission sees them with the final object. */
  readonly asked: Attributes;
  /** The object as admission sees it. Default: itself. */
  readonly shown?: (object: KubeObject) => KubeObject;
}

/** Stores a version that mutating admission has seen. */
export async function store(context: RequestContext, next: NextVersion): Promise<Answer> {
  const { resource, services } = context;
  const { live, old, object, options, asked, shown = itself } = next;
  placeInNamespace(context, object);
  checkVersion(context, object, old);
  keepServerFields(object, old);
  restoreUnwritten(context, object, old);
  restoreMetadata(context, object, old);
  prepare(context, object, old);
  if (resource.strategy.hasGeneration && contentChanged(resource, object, old))
    object.metadata.generation = (old.metadata.generation ?? 0) + 1;

  refuseEscalation(context, object, old);
  context.warnings.push(...finalizerAdvice(object.metadata, resource, old.metadata));
  const errors = collectErrors(() => faults(context, object, old));
  const { group, kind } = resource.storedAs ?? resource;
  if (errors.length > 0) throw invalidObject(group, kind, object.metadata.name ?? context.name, errors);
  if (context.subresource === "") context.warnings.push(...(resource.strategy.warnings?.(object) ?? []));
  asked.object = shown(object);
  const validating = validate(context, asked);
  if (validating) await validating;

  object.metadata.managedFields = keepTimesOfNoOp(old, object);
  const isReleasedNow = object.metadata.deletionTimestamp !== undefined && isReleased(object, resource);
  const storing = isReleasedNow ? object : services.views.toStorage(object, resource);
  const stored = storing instanceof Promise ? await storing : storing;
  const collection = collectionFor(context);
  const key = keyFor(context, context.name);
  if (services.store.head(collection, key) !== live) throw new StaleWriteError(collection, key);
  refuseOverQuota(context, object, old);
  if (options.dryRun) return dryRunAnswer(object, stored, key, 200);
  if (isReleasedNow) {
    // Watchers see the last stored state at the revision of the removal; the client sees what it sent.
    const as = asStored(resource, live);
    await services.store.remove(collection, key, live, draftOf(services.views.object(live, as), as));
    return { type: "object", code: 200, object };
  }
  // A write without changes keeps the resourceVersion and causes no event.
  if (isThere(context, { live, old, object, stored })) return { type: "entry", code: 200, entry: live };
  const change = await services.store.put(collection, key, live, draftOf(stored, resource));
  services.views.adopt(change.after as Entry, resource);
  return { type: "entry", code: 200, entry: change.after as Entry };
}

function isThere(
  { resource, services }: RequestContext,
  { live, old, object, stored }: { live: Entry; old: KubeObject; object: KubeObject; stored: KubeObject },
): boolean {
  if (stored !== object) return equal(stored, decodeObject(live.bytes));
  return equal(object, old) && services.views.isStoredAsShown(live, resource);
}

const itself = (object: KubeObject): KubeObject => object;

function checkVersion({ resource, name }: RequestContext, object: KubeObject, old: KubeObject): void {
  const { resourceVersion } = object.metadata;
  if (resourceVersion && resourceVersion !== "0" && resourceVersion !== old.metadata.resourceVersion)
    throw conflict(resource.group, resource.plural, name);
}

/** Restores what only the server decides. A client may leave some of it out; validation refuses other values. */
function keepServerFields({ metadata }: KubeObject, { metadata: old }: KubeObject): void {
  metadata.resourceVersion = old.resourceVersion;
  if (!metadata.uid) metadata.uid = old.uid;
  metadata.creationTimestamp = old.creationTimestamp;
  if (old.generation === undefined) delete metadata.generation;
  else metadata.generation = old.generation;
  if (old.deletionTimestamp !== undefined) metadata.deletionTimestamp = old.deletionTimestamp;
  if (old.deletionGracePeriodSeconds !== undefined)
    metadata.deletionGracePeriodSeconds ??= old.deletionGracePeriodSeconds;
  delete (metadata as { selfLink?: string }).selfLink;
}

/** Top-level fields that a status-like endpoint writes. */
function writtenBy(part: Extract<Subresource, { type: "status" }>): readonly string[] {
  return part.writes ?? ["status"];
}

/** The main endpoint leaves status alone, the status endpoint everything else. */
function restoreUnwritten({ resource, subresource }: RequestContext, object: KubeObject, old: KubeObject): void {
  const part = resource.subresources[subresource];
  if (part?.type !== "status") {
    for (const field of resource.strategy.ignoredFields ?? []) restore(object, old, field);
    return;
  }
  for (const field of new Set([...Object.keys(object), ...Object.keys(old)]))
    if (field !== "metadata" && !writtenBy(part).includes(field)) restore(object, old, field);
}

/** Status writes of most built-in kinds may change metadata: a kubelet labels its node that way. Others may not. */
function restoreMetadata({ resource, subresource }: RequestContext, object: KubeObject, old: KubeObject): void {
  const part = resource.subresources[subresource];
  if (part?.type === "status" && (resource.origin === "custom" || part.keepsMetadata))
    object.metadata = { ...old.metadata, managedFields: object.metadata.managedFields };
}

function prepare({ resource, subresource, services }: RequestContext, object: KubeObject, old: KubeObject): void {
  const part = resource.subresources[subresource];
  if (part?.type === "status") part.prepareForUpdate?.(object, old, services.clock.now());
  else resource.strategy.prepareForUpdate?.(object, old);
}

function restore(object: KubeObject, old: KubeObject, field: string): void {
  const before = get(old, field);
  if (before === undefined) delete object[field];
  else set(object, field, before);
}

function managedAfter(
  context: RequestContext,
  { object, old, options }: { object: KubeObject; old: KubeObject; options: WriteOptions },
  versions: OtherVersions | undefined,
): ManagedFieldsEntry[] | undefined {
  const { resource, services, subresource } = context;
  return updateManagedFields({
    versions,
    before: old,
    after: object,
    schema: resource.schema,
    manager: options.fieldManager,
    apiVersion: apiVersion(resource),
    subresource,
    // As kube-apiserver: entries of the scale subresource have no time.
    time: subresource === "scale" ? undefined : timestamp(services.clock),
    ignored: ignoredFor(resource, subresource),
  });
}

function faults(context: RequestContext, object: KubeObject, old: KubeObject) {
  const { strategy, subresources } = context.resource;
  const part = subresources[context.subresource];
  const warn = (warning: string): void => void context.warnings.push(warning);
  return [
    ...metadataFaults(object.metadata, context.resource),
    ...validateObjectMetaUpdate(object.metadata, old.metadata),
    ...(part?.type === "status"
      ? (part.validateUpdate?.(object, old, warn) ?? [])
      : [...(strategy.validate?.(object) ?? []), ...(strategy.validateUpdate?.(object, old, warn) ?? [])]),
  ];
}

/** Generation counts changes of everything but metadata, and but status if it is a subresource. */
function contentChanged({ subresources }: Resource, object: KubeObject, old: KubeObject): boolean {
  const { metadata: _, status, ...content } = object;
  const { metadata: __, status: oldStatus, ...before } = old;
  return !equal(content, before) || (!subresources.status && !equal(status, oldStatus));
}

/** No finalizer, grace period or other hold keeps a deleted object. */
export function isReleased(object: KubeObject, { strategy }: Resource): boolean {
  const { finalizers = [], deletionGracePeriodSeconds = 0 } = object.metadata;
  return finalizers.length === 0 && deletionGracePeriodSeconds === 0 && !strategy.isHeld?.(object);
}
