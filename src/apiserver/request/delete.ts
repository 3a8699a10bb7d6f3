import { isObject, type Json } from "../../object/json.ts";
import type { KubeObject } from "../../object/meta.ts";
import { invalid } from "../../schema/field-error.ts";
import { badRequest, conflict, invalidObject, notFound } from "../status-error.ts";
import type { Entry } from "../storage/store.ts";
import { collectionFor, keyFor, timestamp, type Answer, type RequestContext } from "./context.ts";
import { draftOf } from "./draft.ts";
import { newest } from "./get.ts";
import { list } from "./list.ts";
import { dryRunErrors } from "./options.ts";
import { isReleased } from "./update.ts";

interface DeleteOptions {
  readonly gracePeriodSeconds: number | undefined;
  readonly propagation: "Background" | "Foreground" | "Orphan" | undefined;
  readonly uid: string | undefined;
  readonly resourceVersion: string | undefined;
  readonly dryRun: boolean;
}

export async function remove(context: RequestContext, body: Json): Promise<Answer> {
  const { resource, name } = context;
  const options = deleteOptions(context.query, body);
  const live = newest(context);
  if (!live) throw notFound(resource.group, resource.plural, name);
  const { object, gone } = await removeOne(context, live, options);
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
  const found = list(context);
  if (found.type !== "list") return found;
  await Promise.all(
    found.entries.map((entry) => {
      const newestEntry = context.services.store.head(collectionFor(context), entry.key);
      const [namespace = "", name = ""] = context.resource.namespaced ? entry.key.split("/") : ["", entry.key];
      return newestEntry && removeOne({ ...context, namespace, name }, newestEntry, options);
    }),
  );
  return found;
}

async function removeOne(
  context: RequestContext,
  live: Entry,
  options: DeleteOptions,
): Promise<{ object: KubeObject; gone: boolean }> {
  const { resource, services, name } = context;
  const object = services.views.object(live, resource);
  checkPreconditions(context, object, options);
  const before = JSON.stringify(object.metadata);
  markDeleted(context, object, options);
  if (!isReleased(object)) {
    if (options.dryRun || JSON.stringify(object.metadata) === before) return { object, gone: false };
    const change = await services.store.put(
      collectionFor(context),
      keyFor(context, name),
      live,
      draftOf(object, resource),
    );
    services.views.adopt(change.after as Entry, resource);
    return { object, gone: false };
  }
  const final = services.views.object(live, resource);
  if (options.dryRun) return { object: final, gone: true };
  await services.store.remove(collectionFor(context), keyFor(context, name), live, draftOf(final, resource));
  return { object: final, gone: true };
}

function checkPreconditions({ resource, name }: RequestContext, object: KubeObject, options: DeleteOptions): void {
  const { uid, resourceVersion } = object.metadata;
  if (options.uid !== undefined && options.uid !== uid)
    throw conflict(
      "",
      resource.kind,
      name,
      `the UID in the precondition (${options.uid}) does not match the UID in record (${uid}). The object might have been deleted and then recreated`,
    );
  if (options.resourceVersion !== undefined && options.resourceVersion !== resourceVersion)
    throw conflict(
      "",
      resource.kind,
      name,
      `the ResourceVersion in the precondition (${options.resourceVersion}) does not match the ResourceVersion in record (${resourceVersion}). The object might have been modified`,
    );
}

/** Sets what a deletion leaves on an object that something still holds: finalizers, a kubelet, a namespace's content. */
function markDeleted(context: RequestContext, object: KubeObject, options: DeleteOptions): void {
  const { metadata } = object;
  const now = context.services.clock.now();
  const grace = gracePeriod(context, object, options);
  if (!metadata.deletionTimestamp) {
    // A namespace counts no grace period: its finalizer holds it.
    metadata.deletionTimestamp = timestamp({ ...context.services.clock, now: () => now + grace * 1000 });
    if (object.kind !== "Namespace") metadata.deletionGracePeriodSeconds = grace;
    if (metadata.generation !== undefined && object.kind !== "Namespace") metadata.generation++;
  } else if (grace < (metadata.deletionGracePeriodSeconds ?? 0)) metadata.deletionGracePeriodSeconds = grace;

  const held = { Foreground: "foregroundDeletion", Orphan: "orphan" } as const;
  if (options.propagation === "Foreground" || options.propagation === "Orphan") {
    const finalizer = held[options.propagation];
    if (!metadata.finalizers?.includes(finalizer)) metadata.finalizers = [...(metadata.finalizers ?? []), finalizer];
  }
  if (object.kind === "Namespace" && context.resource.group === "")
    object.status = { ...(isObject(object.status) ? object.status : {}), phase: "Terminating" };
}

/** A pod that runs somewhere is given time; its kubelet ends it by deleting it again with none. */
function gracePeriod({ resource }: RequestContext, object: KubeObject, options: DeleteOptions): number {
  if (resource.kind !== "Pod" || resource.group !== "") return 0;
  const spec = object.spec as { nodeName?: string; terminationGracePeriodSeconds?: number } | undefined;
  const phase = (object.status as { phase?: string } | undefined)?.phase;
  if (!spec?.nodeName || phase === "Succeeded" || phase === "Failed") return 0;
  const asked =
    options.gracePeriodSeconds ??
    object.metadata.deletionGracePeriodSeconds ??
    spec.terminationGracePeriodSeconds ??
    30;
  return object.metadata.deletionTimestamp
    ? Math.min(asked, object.metadata.deletionGracePeriodSeconds ?? asked)
    : asked;
}

function deleteOptions(query: URLSearchParams, body: Json): DeleteOptions {
  if (body !== null && !isObject(body)) throw badRequest("the DeleteOptions must be an object");
  const options = body ?? {};
  if (options.kind !== undefined && options.kind !== "DeleteOptions")
    throw badRequest(`the body of a delete must be DeleteOptions, not ${JSON.stringify(options.kind)}`);
  const preconditions = isObject(options.preconditions) ? options.preconditions : {};
  const grace = options.gracePeriodSeconds ?? query.get("gracePeriodSeconds") ?? undefined;
  const propagation = options.propagationPolicy ?? query.get("propagationPolicy") ?? undefined;
  const dryRun = Array.isArray(options.dryRun) ? options.dryRun.map(String) : query.getAll("dryRun");
  const errors = dryRunErrors(dryRun);
  if (propagation !== undefined && !["Background", "Foreground", "Orphan"].includes(propagation as string))
    errors.push(invalid("propagationPolicy", propagation, "must be one of Foreground, Background, Orphan"));
  const seconds = grace === undefined ? undefined : Number(grace);
  if (seconds !== undefined && !Number.isInteger(seconds))
    errors.push(invalid("gracePeriodSeconds", grace, "must be a whole number"));
  if (errors.length > 0) throw invalidObject("meta.k8s.io", "DeleteOptions", "", errors);
  return {
    gracePeriodSeconds: seconds === undefined ? undefined : Math.max(0, seconds),
    propagation: propagation as DeleteOptions["propagation"],
    uid: typeof preconditions.uid === "string" ? preconditions.uid : undefined,
    resourceVersion: typeof preconditions.resourceVersion === "string" ? preconditions.resourceVersion : undefined,
    dryRun: dryRun.length > 0,
  };
}
