import { group, tuningNamespace } from "../node-tuning/api.ts";
import type { KubeObject } from "../object/meta.ts";

/** Where Attune's own parts live. */
export const systemNamespace = "attune-system";
export const operatorServiceAccount = "attune-operator";
export const operatorLease = "attune-operator";

const rbac = "rbac.authorization.k8s.io/v1";
const name = "attune:operator";

/** All that the operator may do, and why. */
export function operatorRbac(): KubeObject[] {
  return [
    {
      apiVersion: "v1",
      kind: "ServiceAccount",
      metadata: { name: operatorServiceAccount, namespace: systemNamespace },
    },
    clusterRole([
      // Labels and providers decide which profile a node gets.
      { apiGroups: [""], resources: ["nodes"], verbs: ["get", "list", "watch"] },
    ]),
    binding("ClusterRoleBinding", "ClusterRole"),
    role(tuningNamespace, [
      // Reads what users write; puts the default Tuned in its place with server-side apply.
      { apiGroups: [group], resources: ["tuneds"], verbs: ["get", "list", "watch", "create", "patch"] },
      { apiGroups: [group], resources: ["tuneds/status"], verbs: ["patch"] },
      // One Profile a node. Their status is the nodes' to write.
      { apiGroups: [group], resources: ["profiles"], verbs: ["get", "list", "watch", "create", "update", "delete"] },
    ]),
    binding("RoleBinding", "Role", tuningNamespace),
    role(systemNamespace, [
      // Leader election.
      { apiGroups: ["coordination.k8s.io"], resources: ["leases"], verbs: ["create"] },
      {
        apiGroups: ["coordination.k8s.io"],
        resources: ["leases"],
        resourceNames: [operatorLease],
        verbs: ["get", "update"],
      },
    ]),
    binding("RoleBinding", "Role", systemNamespace),
  ];
}

interface PolicyRule {
  apiGroups: string[];
  resources: string[];
  resourceNames?: string[];
  verbs: string[];
}

function clusterRole(rules: PolicyRule[]): KubeObject {
  return { apiVersion: rbac, kind: "ClusterRole", metadata: { name }, rules };
}

function role(namespace: string, rules: PolicyRule[]): KubeObject {
  return { apiVersion: rbac, kind: "Role", metadata: { name, namespace }, rules };
}

function binding(
  kind: "ClusterRoleBinding" | "RoleBinding",
  to: "ClusterRole" | "Role",
  namespace?: string,
): KubeObject {
  return {
    apiVersion: rbac,
    kind,
    metadata: namespace === undefined ? { name } : { name, namespace },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: to, name },
    subjects: [{ kind: "ServiceAccount", name: operatorServiceAccount, namespace: systemNamespace }],
  };
}
