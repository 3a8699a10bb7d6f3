import type { Log } from "../../../cluster/runtime/log/log.ts";
import type { Services } from "../request/context.ts";
import type { Resource } from "../resource.ts";
import { deleteInBackground } from "./server-writes.ts";

/** Deletes the Endpoints of a deleted Service, so that a new Service of the same name does not inherit them. */
export function deleteEndpointsOfServices(services: Services, log: Log): () => void {
  const { store, registry } = services;
  return store.watch("services", (changes) => {
    for (const { key, after } of changes) {
      const endpoints = after ? undefined : store.get("endpoints", key);
      if (endpoints) deleteInBackground(services, log, registry.find("", "v1", "endpoints") as Resource, endpoints);
    }
  });
}
