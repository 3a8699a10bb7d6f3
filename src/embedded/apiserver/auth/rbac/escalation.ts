import { equal, get, isObject } from "../../../../language/object/json.ts";
import type { KubeObject } from "../../../../language/object/meta.ts";
import { forbidden, notFound, type StatusError } from "../../status-error.ts";
import { describeParts, quotedList, rulesIn, uncovered, type PolicyRule } from "./policy-rule.ts";
import { joined, SUPERUSERS, type RbacAuthorizer } from "./rbac.ts";
import { roleReferenceOf } from "./role-binding.ts";
import type { User } from "../user.ts";

const GROUP = "rbac.authorization.k8s.io";

const plurals: Readonly<Record<string, string>> = {
  Role: "roles",
  ClusterRole: "clusterroles",
  RoleBinding: "rolebindings",
  ClusterRoleBinding: "clusterrolebindings",
};

const everything: readonly PolicyRule[] = [
  { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
  { verbs: ["*"], nonResourceURLs: ["*"] },
];

export interface EscalationInput {
  readonly user: User;
  /** A Role, ClusterRole, RoleBinding or ClusterRoleBinding about to be written. */
  readonly object: KubeObject;
  /** The stored object; absent on creation. */
  readonly old?: KubeObject | undefined;
  readonly rbac: RbacAuthorizer;
}

/** RBAC's escalation prevention: a user cannot grant rights that it does not hold. The refusal, or `undefined`. */
export function escalationCheck(input: EscalationInput): StatusError | undefined {
  const { user, object, old } = input;
  if (user.groups.includes(SUPERUSERS)) return undefined;
  if (old && changesOnlyOwnership(object, old)) return undefined;
  return object.kind === "Role" || object.kind === "ClusterRole" ? roleCheck(input) : bindingCheck(input);
}

function roleCheck({ user, object, old, rbac }: EscalationInput): StatusError | undefined {
  const { namespace = "", name = "" } = object.metadata;
  if (mayUseRole({ user, rbac }, { verb: "escalate", kind: object.kind, namespace, name })) return undefined;
  const lacking = whyLacking(rbac, user, object, rulesIn(get(object, "rules")));
  if (lacking !== undefined) return refusal(object, lacking);
  // An aggregation rule also grants roles that are written later.
  if (aggregates(object) || (old && aggregates(old)))
    if (uncovered(rbac.rulesFor(user, "").rules, everything).length > 0)
      return refusal(object, "must have cluster-admin privileges to use the aggregationRule");
  return undefined;
}

function bindingCheck({ user, object, rbac }: EscalationInput): StatusError | undefined {
  const role = roleReferenceOf(object);
  const { namespace = "" } = object.metadata;
  if (mayUseRole({ user, rbac }, { verb: "bind", kind: role.kind, namespace, name: role.name })) return undefined;
  const rules = rbac.rulesOf(role, namespace);
  if (!rules) return notFound(GROUP, plurals[object.kind] ?? "", role.name);
  const lacking = whyLacking(rbac, user, object, rules);
  return lacking === undefined ? undefined : refusal(object, lacking);
}

/** The verbs `escalate` and `bind` on a role let a user grant rights that it does not hold. */
function mayUseRole(
  { user, rbac }: Pick<EscalationInput, "user" | "rbac">,
  { verb, kind, namespace, name }: { verb: "escalate" | "bind"; kind: string; namespace: string; name: string },
): boolean {
  const resource = kind === "ClusterRole" ? "clusterroles" : "roles";
  return rbac.authorize(user, {
    type: "resource",
    verb,
    group: GROUP,
    version: "v1",
    resource,
    subresource: "",
    namespace,
    name,
  }).allowed;
}

function whyLacking(
  rbac: RbacAuthorizer,
  user: User,
  object: KubeObject,
  wanted: readonly PolicyRule[],
): string | undefined {
  const held = rbac.rulesFor(user, object.metadata.namespace ?? "");
  const missing = uncovered(held.rules, wanted);
  if (missing.length === 0) return undefined;
  const who = `user ${JSON.stringify(user.name)} (groups=${quotedList(user.groups)})`;
  const lines = describeParts(missing).join("\n");
  const unresolved = held.errors.length > 0 ? `; resolution errors: ${joined(held.errors)}` : "";
  return `${who} is attempting to grant RBAC permissions not currently held:\n${lines}${unresolved}`;
}

function refusal(object: KubeObject, why: string): StatusError {
  return forbidden(GROUP, plurals[object.kind] ?? "", object.metadata.name ?? "", why);
}

const aggregates = (object: KubeObject): boolean => isObject(get(object, "aggregationRule"));

/** The garbage collector must be able to remove owner references of a role whose rules it does not hold. */
function changesOnlyOwnership(object: KubeObject, old: KubeObject): boolean {
  const rest = (whole: KubeObject): unknown => ({
    ...whole,
    metadata: {
      ...whole.metadata,
      ownerReferences: undefined,
      finalizers: undefined,
      managedFields: undefined,
      resourceVersion: undefined,
    },
  });
  return equal(rest(object), rest(old));
}
