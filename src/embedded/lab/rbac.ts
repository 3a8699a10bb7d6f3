import { nodeIdentity } from "./kubelet/node/virtual-node.ts";
import type { KubeObject } from "../../language/object/meta.ts";

export const labServiceAccount = "attune-lab";

/** The users that the lab impersonates. */
export interface LabIdentities {
  /** Names of the virtual nodes. */
  readonly nodes: readonly string[];
  /** Other users, such as `system:kube-scheduler`. */
  readonly users?: readonly string[] | undefined;
  /** ServiceAccounts in kube-system, such as those of controllers. */
  readonly serviceAccounts?: readonly string[] | undefined;
}

/**
 * The lab's own account: reads pods and nodes for all kubelets, writes labels and taints of nodes, and impersonates users.
 * They are named one by one: a rule for all users would make it an administrator.
 */
export function labRbac(namespace: string, { nodes, users = [], serviceAccounts = [] }: LabIdentities): KubeObject[] {
  const rbac = "rbac.authorization.k8s.io/v1";
  const subjects = [{ kind: "ServiceAccount", name: labServiceAccount, namespace }];
  const name = "attune:lab";
  const impersonate = (resource: string, resourceNames: readonly string[]): object => ({
    apiGroups: [""],
    resources: [resource],
    verbs: ["impersonate"],
    resourceNames,
  });
  const create = (apiGroup: string, resource: string): object => ({
    apiGroups: [apiGroup],
    resources: [resource],
    verbs: ["create"],
  });
  return [
    { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: labServiceAccount, namespace } },
    {
      apiVersion: rbac,
      kind: "ClusterRole",
      metadata: { name },
      rules: [
        { apiGroups: [""], resources: ["nodes"], verbs: ["delete", "get", "list", "patch", "watch"] },
        { apiGroups: [""], resources: ["pods"], verbs: ["get", "list", "watch"] },
        // Authenticates and authorizes readers of logs.
        create("authentication.k8s.io", "tokenreviews"),
        create("authorization.k8s.io", "subjectaccessreviews"),
        impersonate("users", [...nodes.map((node) => nodeIdentity(node).user), ...users]),
        impersonate("groups", ["system:nodes"]),
      ],
    },
    {
      apiVersion: rbac,
      kind: "ClusterRoleBinding",
      metadata: { name },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name },
      subjects,
    },
    {
      apiVersion: rbac,
      kind: "Role",
      metadata: { name, namespace: "kube-system" },
      rules: serviceAccounts.length > 0 ? [impersonate("serviceaccounts", serviceAccounts)] : [],
    },
    {
      apiVersion: rbac,
      kind: "RoleBinding",
      metadata: { name, namespace: "kube-system" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name },
      subjects,
    },
    {
      // The authority for client certificates.
      apiVersion: rbac,
      kind: "RoleBinding",
      metadata: { name: `${name}:authentication`, namespace: "kube-system" },
      roleRef: {
        apiGroup: "rbac.authorization.k8s.io",
        kind: "Role",
        name: "extension-apiserver-authentication-reader",
      },
      subjects,
    },
  ];
}
