import { SUPERUSERS } from "../auth/rbac/rbac.ts";
import { longestWriteMs, type RequestContext, type Services } from "../request/context.ts";
import type { Resource } from "../resource.ts";
import { parseApiVersion, type KubeObject } from "../../../language/object/meta.ts";
import { collectionOf } from "../registry.ts";
import { insert } from "../request/create.ts";
import { writeOptions } from "../request/options.ts";
import type { Log } from "../../../cluster/runtime/log/log.ts";
import { StaleWriteError } from "../storage/object-store.ts";
import { formatTime } from "../../../language/object/time.ts";
import { asStored } from "../conversion/stored-version.ts";
import { draftOf } from "../request/draft.ts";
import type { Entry } from "../storage/store.ts";

/** A request that the server sends itself about one object, under the name of whose work it does. */
export function ownRequest(services: Services, resource: Resource, key: string, user: string): RequestContext {
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

/** Creates an object as by a request of the server's own, unless it is there: what is there is left alone. */
export async function ensure(services: Services, object: KubeObject): Promise<void> {
  const { group, version } = parseApiVersion(object.apiVersion);
  const resource = services.registry
    .all()
    .find((r) => r.group === group && r.version === version && r.kind === object.kind);
  if (!resource) throw new Error(`make ${object.kind} ${object.metadata.name}: the kind is not served`);
  const namespace = object.metadata.namespace ?? "";
  const key = resource.namespaced ? `${namespace}/${object.metadata.name}` : (object.metadata.name ?? "");
  if (services.store.head(collectionOf(resource), key)) return;
  const context = { ...ownRequest(services, resource, key, "system:apiserver"), name: "" };
  const options = writeOptions(new URLSearchParams({ fieldManager: "attune-apiserver" }), "CreateOptions", "");
  await insert(context, structuredClone(object), options, "update");
}

/**
 * A write that nobody waits for. One that was overtaken is no fault: the newer write's commit brings housekeeping here
 * again.
 */
export function inBackground(log: Log, write: () => Promise<unknown>): void {
  const failed = (error: unknown): void => {
    if (!(error instanceof StaleWriteError)) log.error({ error }, "housekeeping could not write");
  };
  try {
    write().catch(failed);
  } catch (error) {
    failed(error);
  }
}

/** Deletes an object because what it belongs to goes: at once, or when whoever holds it by a finalizer lets it go. */
export function discard({ store, views, clock }: Services, log: Log, kind: Resource, entry: Entry): void {
  const resource = asStored(kind, entry);
  const collection = collectionOf(resource);
  // A newer version is on its way to disk: its commit brings the caller here again.
  if (store.head(collection, entry.key) !== entry) return;
  const object = views.object(entry, resource);
  const { metadata } = object;
  if ((metadata.finalizers?.length ?? 0) === 0)
    return inBackground(log, () => store.remove(collection, entry.key, entry, draftOf(object, resource)));
  if (metadata.deletionTimestamp) return;
  metadata.deletionTimestamp = formatTime(clock.now());
  metadata.deletionGracePeriodSeconds = 0;
  if (metadata.generation !== undefined) metadata.generation++;
  inBackground(log, () => store.put(collection, entry.key, entry, draftOf(object, resource)));
}
