import { SUPERUSERS } from "../auth/rbac/rbac.ts";
import { longestWriteMs, type RequestContext, type Services } from "../request/context.ts";
import type { Resource } from "../resource.ts";

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
