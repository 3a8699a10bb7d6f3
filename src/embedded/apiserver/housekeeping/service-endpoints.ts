import type { Log } from "../../../cluster/runtime/log/log.ts";
import type { Services } from "../request/context.ts";
import type { Resource } from "../resource.ts";
import { discard } from "./server-writes.ts";

/** The endpoints of a service go with it, so that another one of its name does not begin with them. */
export function forgetEndpointsOfServices(services: Services, log: Log): () => void {
  const { store, registry } = services;
  return store.watch("services", (changes) => {
    for (const { key, after } of changes) {
      const endpoints = after ? undefined : store.get("endpoints", key);
      if (endpoints) discard(services, log, registry.find("", "v1", "endpoints") as Resource, endpoints);
    }
  });
}
