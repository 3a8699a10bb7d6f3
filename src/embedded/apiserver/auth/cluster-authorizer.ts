import { forbidden, StatusError } from "../status-error.ts";
import { type Attributes, type Authorizer, type Decision, nodeNameOf, type User } from "./user.ts";
import type { NodeAuthorizer } from "./node/node-authorizer.ts";
import type { HeldRules, RbacAuthorizer } from "./rbac/rbac.ts";

/** The authorizers Node and RBAC: a request is allowed if either allows it. */
export class ClusterAuthorizer implements Authorizer {
  readonly rbac: RbacAuthorizer;
  readonly #nodes: NodeAuthorizer;

  constructor(nodes: NodeAuthorizer, rbac: RbacAuthorizer) {
    this.#nodes = nodes;
    this.rbac = rbac;
  }

  authorize(user: User, attributes: Attributes): Decision {
    const asNode = this.#nodes.authorize(user, attributes);
    if (asNode?.allowed) return asNode;
    const decision = this.rbac.authorize(user, attributes);
    if (decision.allowed || !asNode?.reason) return decision;
    return { allowed: false, reason: decision.reason ? `${asNode.reason}\n${decision.reason}` : asNode.reason };
  }

  /** The user's RBAC rules. Incomplete for a node: what it may do depends on its pods. */
  rulesFor(user: User, namespace: string): HeldRules & { readonly incomplete: boolean } {
    const held = this.rbac.rulesFor(user, namespace);
    if (nodeNameOf(user) === undefined) return { ...held, incomplete: false };
    return {
      rules: held.rules,
      errors: ["node authorizer does not support user rule resolution", ...held.errors],
      incomplete: true,
    };
  }
}

/** The refusal of a request that no authorizer allowed. */
export function denied(user: User, attributes: Attributes, decision: Decision): StatusError {
  const why = decision.reason ? `: ${decision.reason}` : "";
  const who = `User ${JSON.stringify(user.name)} cannot ${attributes.verb}`;
  if (attributes.type === "path") {
    const message = withoutMarkup(`${who} path ${JSON.stringify(attributes.path)}`);
    return new StatusError(403, "Forbidden", `forbidden: ${message}${why}`, {});
  }
  const { resource, subresource, group, namespace, name } = attributes;
  const what = JSON.stringify(subresource ? `${resource}/${subresource}` : resource);
  const where = namespace ? `in the namespace ${JSON.stringify(namespace)}` : "at the cluster scope";
  const message = withoutMarkup(`${who} resource ${what} in API group ${JSON.stringify(group)} ${where}`);
  return forbidden(group, resource, name, message + why);
}

/** Names come from the client, and a browser may render the response. */
function withoutMarkup(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
