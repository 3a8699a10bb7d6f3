import { equal, type Json } from "../../../language/object/json.ts";
import type { KubeObject, ObjectMeta } from "../../../language/object/meta.ts";
import { formatTime } from "../../../language/object/time.ts";
import type { Attributes } from "../admission/admission.ts";
import { asStored } from "../conversion/stored-version.ts";
import type { Strategy } from "../resource.ts";
import { conflict, forbidden, notFound } from "../status-error.ts";
import { encodeObject } from "../storage/object-codec.ts";
import type { Entry } from "../storage/store.ts";
import { admit, attributesOf, validate } from "./admission.ts";
import { collectionFor, keyFor, type Answer, type RequestContext } from "./context.ts";
import { deleteOptions, type DeleteOptions } from "./delete-options.ts";
import { draftOf } from "./draft.ts";
import { list } from "./list.ts";
import { onNewest } from "./on-newest.ts";
import { isReleased } from "./update.ts";

export async function remove(context: RequestContext, body: Json): Promise<Answer> {
  const { resource, name } = context;
  const options = deleteOptions(context.query, body);
  const { warning } = resource.strategy.orphans ?? {};
  if (warning !== undefined && !options.propagation) context.warnings.push(warning);
  const attempt = async (live: Entry | undefined): Promise<Removal> => {
    if (!live) throw notFound(resource.group, resource.plural, name);
    return removeOne(context, live, options);
  };
  const { object, entry, gone } = await onNewest(context, attempt, { shown: false });
  if (entry) return { type: "entry", code: 200, entry };
  if (!gone || resource.strategy.returnDeleted) return { type: "object", code: 200, object };
  return {
    type: "object",
    code: 200,
    object: {
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Success",
      details: {
        name,
        ...(resource.group ? { group: resource.group } : {}),
        kind: resource.plural,
        uid: object.metadata.uid,
      },
    },
  };
}

/** Deletes everything that the selectors match; objects that another client deletes meanwhile are skipped. */
export async function removeCollection(context: RequestContext, body: Json): Promise<Answer> {
  const options = deleteOptions(context.query, body);
  const found = await list(context);
  if (found.type !== "list") return found;
  const removeKey = async ({ key }: Entry): Promise<void> => {
    const [namespace = "", name = ""] = context.resource.namespaced ? key.split("/") : ["", key];
    const one = { ...context, namespace, name };
    await onNewest(one, async (live) => live && removeOne(one, live, options, ""), { shown: false });
  };
  const { resource, subresource, services } = context;
  // The first refusal by admission ends the request, so later objects must not be sent to webhooks yet.
  if (services.admission.mayWait({ operation: "DELETE", resource, subresource }))
    for (const entry of found.entries) await removeKey(entry);
  else await Promise.all(found.entries.map(removeKey));
  return found;
}

interface Removal {
  readonly object: KubeObject;
  readonly gone: boolean;
  /** The stored object, if it is stored in another version than the requested one. */
  readonly entry?: Entry;
}

/** Works on the stored version: a deletion only changes metadata, so nothing needs conversion. */
async function removeOne(
  request: RequestContext,
  live: Entry,
  options: DeleteOptions,
  asked = request.name,
): Promise<Removal> {
  const resource = asStored(request.resource, live);
  const context = resource === request.resource ? request : { ...request, resource };
  const { services, name } = context;
  const collection = collectionFor(context);
  const key = keyFor(context, name);
  const object = services.views.object(live, resource);
  const refusal = resource.strategy.refuseDelete?.(object);
  if (refusal) throw forbidden(resource.group, resource.plural, name, refusal);
  checkPreconditions(context, object, options);
  if (isUnderWay(context, object, options)) return { object, gone: false };
  const admitting = admitDeletion(request, live, options, asked);
  if (admitting) await admitting;
  const marked = markDeleted(context, object, options);
  const isGone = isReleased(marked, resource);
  // A kind with a grace period is marked before it is removed, even if that is at once: watchers see both events.
  if (isGone && !resource.strategy.gracePeriod) {
    if (!options.dryRun) await services.store.remove(collection, key, live, draftOf(object, resource));
    return { object, gone: true };
  }
  const isShown = resource === request.resource;
  if (options.dryRun)
    return { object: marked, gone: isGone, ...(isShown ? {} : { entry: { ...live, bytes: encodeObject(marked) } }) };
  const last = equal(marked, object) ? live : await written();
  if (isGone) await services.store.remove(collection, key, last, draftOf(marked, resource));
  return { object: marked, gone: isGone, ...(isShown ? {} : { entry: last }) };

  async function written(): Promise<Entry> {
    const { after } = await services.store.put(collection, key, live, draftOf(marked, resource));
    services.views.adopt(after as Entry, resource);
    return after as Entry;
  }
}

/** A repeated deletion that does not shorten the grace period: a no-op, without admission. */
function isUnderWay({ resource }: RequestContext, { metadata }: KubeObject, options: DeleteOptions): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds: given = 0 } = metadata;
  // With a grace period of 0 the removal itself may still be outstanding.
  if (!resource.strategy.gracePeriod || !deletionTimestamp || given === 0) return false;
  return options.gracePeriodSeconds === undefined || options.gracePeriodSeconds >= given;
}

/** Mutating admission, although a deletion has no object to change, then validating admission. */
function admitDeletion(
  context: RequestContext,
  live: Entry,
  options: DeleteOptions,
  name: string,
): Promise<void> | undefined {
  const { services, resource } = context;
  const write = (old: KubeObject): Attributes =>
    attributesOf(context, {
      operation: "DELETE",
      object: undefined,
      old,
      name,
      dryRun: options.dryRun,
      options: () => shownOptions(context, old, options),
    });
  const ask = (): Promise<void> | undefined => {
    const asked = write(services.views.object(live, resource));
    const admitting = admit(context, asked);
    return admitting ? admitting.then(() => validate(context, asked)) : validate(context, asked);
  };
  if (!resource.versions?.webhook) return ask();
  // Converting the object is only worth it if a plug-in handles the deletion.
  if (!services.admission.handles(write(services.views.object(live, asStored(resource, live))))) return undefined;
  const converting = services.views.ready([live], resource);
  return converting ? converting.then(ask) : ask();
}

/** As kube-apiserver shows them: with the effective grace period, and for a namespace with its uid as precondition. */
function shownOptions({ resource }: RequestContext, old: KubeObject, options: DeleteOptions): object {
  const gracePeriodSeconds = resource.strategy.gracePeriod?.(old, options.gracePeriodSeconds);
  const isNamespace = resource.plural === "namespaces" && resource.group === "";
  const { resourceVersion } = options;
  const preconditions = { uid: old.metadata.uid, ...(resourceVersion === undefined ? {} : { resourceVersion }) };
  return {
    ...options.sent,
    kind: "DeleteOptions",
    apiVersion: "meta.k8s.io/v1",
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(isNamespace ? { preconditions } : {}),
  };
}

function checkPreconditions({ resource, name }: RequestContext, object: KubeObject, options: DeleteOptions): void {
  const { uid, resourceVersion } = object.metadata;
  if (options.uid !== undefined && options.uid !== uid)
    throw conflict(
      resource.group,
      resource.kind,
      name,
      `the UID in the precondition (${options.uid}) does not match the UID in record (${uid}). The object might have been deleted and then recreated`,
    );
  if (options.resourceVersion !== undefined && options.resourceVersion !== resourceVersion)
    throw conflict(
      resource.group,
      resource.kind,
      name,
      `the ResourceVersion in the precondition (${options.resourceVersion}) does not match the ResourceVersion in record (${resourceVersion}). The object might have been modified`,
    );
}

/** The object marked as being deleted, while finalizers, a kubelet or a namespace's contents keep it. */
function markDeleted({ resource, services }: RequestContext, object: KubeObject, options: DeleteOptions): KubeObject {
  const { strategy } = resource;
  const now = services.clock.now();
  const metadata = { ...object.metadata };
  const first = !metadata.deletionTimestamp;
  if (first) {
    // Of the longest periods a few seconds may be lost: the time is bounded anyway.
    const grace = Number(strategy.gracePeriod?.(object, options.gracePeriodSeconds) ?? 0);
    metadata.deletionTimestamp = formatTime(Math.min(now + grace * 1000, lastTime));
    if (!strategy.onDelete) {
      metadata.deletionGracePeriodSeconds = grace;
      if (metadata.generation !== undefined) metadata.generation++;
    }
  } else shortenGracePeriod(metadata, options.gracePeriodSeconds);
  const propagation = options.propagation ?? usualPropagation(strategy, metadata);
  if (propagation && !strategy.onDelete)
    metadata.finalizers = heldBy(metadata.finalizers ?? [], propagationFinalizers[propagation]);
  if (metadata.finalizers?.length === 0) delete metadata.finalizers;
  const marked: KubeObject = { ...object, metadata };
  return first && strategy.onDelete ? strategy.onDelete(marked, now) : marked;
}

/** Some old kinds orphan dependents by default, unless a finalizer of the object already decides. */
function usualPropagation({ orphans }: Strategy, { finalizers = [] }: ObjectMeta): "Orphan" | undefined {
  if (orphans === undefined || finalizers.some((name) => Object.values(propagationFinalizers).includes(name)))
    return undefined;
  return "Orphan";
}

/** The last second of the last four-digit year. */
export const lastTime = Date.parse("9999-12-31T23:59:59Z");

/** A second deletion can only shorten the grace period of the first. */
function shortenGracePeriod(metadata: ObjectMeta, asked: number | undefined): void {
  const { deletionTimestamp = "", deletionGracePeriodSeconds: given = 0 } = metadata;
  if (asked === undefined || asked >= given) return;
  const sooner = Date.parse(deletionTimestamp) - (given - asked) * 1000;
  metadata.deletionTimestamp = formatTime(
    Math.max(sooner, Date.parse(metadata.creationTimestamp ?? deletionTimestamp)),
  );
  metadata.deletionGracePeriodSeconds = asked;
}

/** The garbage collector removes these finalizers once it has handled the dependents. */
const propagationFinalizers: Record<NonNullable<DeleteOptions["propagation"]>, string | undefined> = {
  Background: undefined,
  Foreground: "foregroundDeletion",
  Orphan: "orphan",
};

/** The propagation of this deletion replaces that of an earlier one or of the object's creator. */
function heldBy(finalizers: readonly string[], finalizer: string | undefined): string[] {
  const others = finalizers.filter(
    (name) => name !== propagationFinalizers.Foreground && name !== propagationFinalizers.Orphan,
  );
  return finalizer === undefined ? others : [...others, finalizer];
}
