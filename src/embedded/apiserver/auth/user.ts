import type { FieldRequirement } from "../../../language/object/field-selector.ts";

/** Who sends a request. */
export interface User {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

export const anonymous: User = { name: "system:anonymous", groups: ["system:unauthenticated"] };

const NODES = "system:nodes";
const NODE_PREFIX = "system:node:";

/**
 * The name of the node that sends a request; `undefined` if the sender is not a node. Empty for a member of
 * `system:nodes` without a name, which the node authorizer denies everything.
 */
export function nodeNameOf({ name, groups }: User): string | undefined {
  return name.startsWith(NODE_PREFIX) && groups.includes(NODES) ? name.slice(NODE_PREFIX.length) : undefined;
}

const SERVICE_ACCOUNT_PREFIX = "system:serviceaccount:";

/** The user name of a service account. */
export const serviceAccountName = (namespace: string, name: string): string =>
  `${SERVICE_ACCOUNT_PREFIX}${namespace}:${name}`;

export function serviceAccountGroups(namespace: string): string[] {
  return ["system:serviceaccounts", `system:serviceaccounts:${namespace}`];
}

// DNS labels and subdomains have neither `:` nor upper case: anything else under the prefix is an ordinary user's name.
const NAMESPACE = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const NAME = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/;

export function parseServiceAccountName(user: string): { namespace: string; name: string } | undefined {
  if (!user.startsWith(SERVICE_ACCOUNT_PREFIX)) return undefined;
  const [namespace = "", name = "", ...rest] = user.slice(SERVICE_ACCOUNT_PREFIX.length).split(":");
  return rest.length === 0 && NAMESPACE.test(namespace) && NAME.test(name) ? { namespace, name } : undefined;
}

/** What a request wants to do, in RBAC's terms. */
export type Attributes =
  | {
      readonly type: "resource";
      readonly verb: string;
      readonly group: string;
      readonly version: string;
      readonly resource: string;
      readonly subresource: string;
      readonly namespace: string;
      readonly name: string;
      /** Of a list, watch or deletecollection: a node may only list its own pods. */
      readonly fieldSelector?: readonly FieldRequirement[];
    }
  | { readonly type: "path"; readonly verb: string; readonly path: string };

export interface Decision {
  readonly allowed: boolean;
  readonly reason: string;
}

export interface Authorizer {
  authorize(user: User, attributes: Attributes): Decision;
}
