import { parseApiVersion, type KubeObject } from "../../../language/object/meta.ts";
import { collectionOf } from "../registry.ts";
import type { Services } from "../request/context.ts";
import { insert } from "../request/create.ts";
import { writeOptions } from "../request/options.ts";
import { ownRequest } from "./server-writes.ts";

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
