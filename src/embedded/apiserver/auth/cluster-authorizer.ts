import { nodeNameOf } from "./node/node-identity.ts";
import type { NodeAuthorizer } from "./node/node-authorizer.ts";
import type { HeldRules, RbacAuthorizer } from "./rbac/rbac.ts";
import type { Attributes, Authorizer, Decision, User } from "./user.ts";

/** Nodes by what runs on them, everybody by roles and bindings: it is allowed if either says so. */
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

  /** The rules that can be told beforehand: what a node may do depends on its pods. */
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
