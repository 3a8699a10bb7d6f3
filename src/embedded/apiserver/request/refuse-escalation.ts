import type { KubeObject } from "../../../language/object/meta.ts";
import { escalationCheck } from "../auth/rbac/escalation.ts";
import type { RequestContext } from "./context.ts";

/** Roles and bindings may give away only what their writer holds. */
export function refuseEscalation(
  { resource, user, services }: RequestContext,
  object: KubeObject,
  old?: KubeObject,
): void {
  if (resource.group !== "rbac.authorization.k8s.io") return;
  const refusal = escalationCheck({ user, object, ...(old ? { old } : {}), rbac: services.authorizer.rbac });
  if (refusal) throw refusal;
}
