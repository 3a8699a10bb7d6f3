import { parseApiVersion, type KubeObject } from "../../../language/object/meta.ts";
import type { Log } from "../../../cluster/runtime/log/log.ts";
import { formatTime } from "../../../language/object/time.ts";
import { SUPERUSERS } from "../auth/rbac/rbac.ts";
import { longestWriteMs, type RequestContext, type Services } from "../request/context.ts";
import type { Resource } from "../resource.ts";
import { collectionOf } from "../registry.ts";
import { insert } from "../request/create.ts";
import { lastTime } from "../request/delete.ts";
import { writeOptions } from "../request/options.ts";
import { StaleWriteError } from "../storage/object-store.ts";
import { asStored } from "../conversion/stored-version.ts";
import { draftOf } from "../request/draft.ts";
import type { Entry } from "../storage/store.ts";

/** A request of the server itself about one object, under the user name of the controller it stands in for. */
export function serverRequest(services: Services, resource: Resource, key: string, user: string): RequestContext {
  const slash = resource.namespaced ? key.indexOf("/") : -1;
  return {
    services,
    resource,
    user: { name: user, groups: [SUPERUSERS] },
    namespace: slash < 0 ? "" : key.slice(0, slash),
    name: key.slice(slash + 1),
    subresource: "",
    query: new URLSearchParams(),
    userAgent: "",
    warnings: [],
    deadline: services.clock.now() + longestWriteMs,
  };
}

/** Creates an object unless it exists; an existing object is left alone. */
export async function ensure(services: Services, object: KubeObject): Promise<void> {
  const { group, version } = parseApiVersion(object.apiVersion);
  const resource = services.registry
    .all()
    .find((r) => r.group === group && r.version === version && r.kind === object.kind);
  if (!resource) throw new Error(`create ${object.kind} ${object.metadata.name}: the kind is not served`);
  const namespace = object.metadata.namespace ?? "";
  const key = resource.namespaced ? `${namespace}/${object.metadata.name}` : (object.metadata.name ?? "");
  if (services.store.head(collectionOf(resource), key)) return;
  const context = { ...serverRequest(services, resource, key, "system:apiserver"), name: "" };
  const options = writeOptions(new URLSearchParams({ fieldManager: "attune-apiserver" }), "CreateOptions", "");
  await insert(context, structuredClone(object), options, "update");
}

/**
 * Starts a write without waiting for it. A stale write is not an error: the commit of the newer write triggers
 * housekeeping again.
 */
export function writeInBackground(log: Log, write: () => Promise<unknown>): void {
  const failed = (error: unknown): void => {
    if (!(error instanceof StaleWriteError)) log.error({ error }, "housekeeping write failed");
  };
  try {
    write().catch(failed);
  } catch (error) {
    failed(error);
  }
}

/** Deletes an object whose parent is deleted: at once, or marks it if it has finalizers or, as a pod on a node, a grace period. */
export function deleteInBackground({ store, views, clock }: Services, log: Log, kind: Resource, entry: Entry): void {
  const resource = asStored(kind, entry);
  const collection = collectionOf(resource);
  // A newer version is uncommitted: its commit triggers the caller again.
  if (store.head(collection, entry.key) !== entry) return;
  const object = views.object(entry, resource);
  const { metadata } = object;
  const grace = Number(resource.strategy.gracePeriod?.(object, undefined) ?? 0);
  if ((metadata.finalizers?.length ?? 0) === 0 && grace === 0)
    return writeInBackground(log, () => store.remove(collection, entry.key, entry, draftOf(object, resource)));
  if (metadata.deletionTimestamp) return;
  metadata.deletionTimestamp = formatTime(Math.min(clock.now() + grace * 1000, lastTime));
  metadata.deletionGracePeriodSeconds = grace;
  if (metadata.generation !== undefined) metadata.generation++;
  writeInBackground(log, () => store.put(collection, entry.key, entry, draftOf(object, resource)));
}
