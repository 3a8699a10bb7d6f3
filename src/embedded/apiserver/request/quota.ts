import type { KubeObject } from "../../../language/object/meta.ts";
import { forbidden } from "../status-error.ts";
import { collectionFor, type RequestContext } from "./context.ts";

/** Called in the turn of the write: what waits between the two could let another write pass. */
export function refuseOverQuota(context: RequestContext, object: KubeObject, old?: KubeObject): void {
  const { resource, services, subresource } = context;
  if (!resource.namespaced || subresource !== "") return;
  const why = services.quotas.refusal(collectionFor(context), object, old);
  if (why !== undefined) throw forbidden(resource.group, resource.plural, object.metadata.name ?? "", why);
}
