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

/** Everything the selectors match, as far as it is still there when its turn comes. */
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
  // The first that somebody objects to ends it, so none is asked about before its turn.
  if (services.admission.mayWait({ operation: "DELETE", resource, subresource }))
    for (const entry of found.entries) await removeKey(entry);
  else await Promise.all(found.entries.map(removeKey));
  return found;
}

interface Removal {
  readonly object: KubeObject;
  readonly gone: boolean;
  /** What is left of the object, where it lies in another version than it is asked for in. */
  readonly entry?: Entry;
}

/** As the object lies there: a deletion is a matter of its metadata. */
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
  // What could have been given time is marked before it goes, even if it goes at once: watchers see both.
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

/** Asked for again without being hurried: nothing happens, and nobody is asked. */
function isUnderWay({ resource }: RequestContext, { metadata }: KubeObject, options: DeleteOptions): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds: given = 0 } = metadata;
  // With no time left, the last step of its deletion may be all that is missing.
  if (!resource.strategy.gracePeriod || !deletionTimestamp || given === 0) return false;
  return options.gracePeriodSeconds === undefined || options.gracePeriodSeconds >= given;
}

/** A deletion has no object to change: what may change one is asked, and then what may only refuse. */
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
  // Only who has an opinion on the object makes it worth asking how it looks in this version.
  if (!services.admission.handles(write(services.views.object(live, asStored(resource, live))))) return undefined;
  const converting = services.views.ready([live], resource);
  return converting ? converting.then(ask) : ask();
}

/** With the time that is given where none was asked for. Of a namespace, no other than this one is ever meant. */
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

/** What a deletion leaves of an object that something still holds: finalizers, a kubelet, a namespace's content. */
function markDeleted({ resource, services }: RequestContext, object: KubeObject, options: DeleteOptions): KubeObject {
  const { strategy } = resource;
  const now = services.clock.now();
  const metadata = { ...object.metadata };
  const first = !metadata.deletionTimestamp;
  if (first) {
    const grace = strategy.gracePeriod?.(object, options.gracePeriodSeconds) ?? 0;
    metadata.deletionTimestamp = formatTime(Math.min(now + grace * 1000, lastTime));
    if (!strategy.onDelete) {
      metadata.deletionGracePeriodSeconds = grace;
      if (metadata.generation !== undefined) metadata.generation++;
    }
  } else hurry(metadata, options.gracePeriodSeconds);
  const propagation = options.propagation ?? usualPropagation(strategy, metadata);
  if (propagation && !strategy.onDelete) metadata.finalizers = heldBy(metadata.finalizers ?? [], holding[propagation]);
  if (metadata.finalizers?.length === 0) delete metadata.finalizers;
  const marked: KubeObject = { ...object, metadata };
  return first && strategy.onDelete ? strategy.onDelete(marked, now) : marked;
}

/** Of a few old kinds dependents stay, unless the object itself says what becomes of them. */
function usualPropagation({ orphans }: Strategy, { finalizers = [] }: ObjectMeta): "Orphan" | undefined {
  if (orphans === undefined || finalizers.some((name) => Object.values(holding).includes(name))) return undefined;
  return "Orphan";
}

/** The last second that four digits of a year can tell. */
const lastTime = Date.parse("9999-12-31T23:59:59Z");

/** A second deletion can only shorten the time that the first has given. */
function hurry(metadata: ObjectMeta, asked: number | undefined): void {
  const { deletionTimestamp = "", deletionGracePeriodSeconds: given = 0 } = metadata;
  if (asked === undefined || asked >= given) return;
  const sooner = Date.parse(deletionTimestamp) - (given - asked) * 1000;
  metadata.deletionTimestamp = formatTime(
    Math.max(sooner, Date.parse(metadata.creationTimestamp ?? deletionTimestamp)),
  );
  metadata.deletionGracePeriodSeconds = asked;
}

/** The garbage collector takes these away, once it has dealt with what the object owns. */
const holding: Record<NonNullable<DeleteOptions["propagation"]>, string | undefined> = {
  Background: undefined,
  Foreground: "foregroundDeletion",
  Orphan: "orphan",
};

/** What a deletion says of dependents replaces what an earlier one, or the object's maker, said. */
function heldBy(finalizers: readonly string[], finalizer: string | undefined): string[] {
  const others = finalizers.filter((name) => name !== holding.Foreground && name !== holding.Orphan);
  return finalizer === undefined ? others : [...others, finalizer];
}
