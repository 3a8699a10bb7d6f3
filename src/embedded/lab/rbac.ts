import { nodeIdentity } from "./kubelet/node/virtual-node.ts";
import type { KubeObject } from "../../language/object/meta.ts";

export const labServiceAccount = "attune-lab";

/** Of whom the lab plays the part besides nodes. */
export interface LabParts {
  /** The nodes by name. */
  readonly nodes: readonly string[];
  /** Users besides those of nodes, such as a scheduler's. */
  readonly users?: readonly string[];
  /** Accounts in kube-system, such as those of controllers. */
  readonly serviceAccounts?: readonly string[];
}

/**
 * The lab's own account: reads pods and nodes for all kubelets, does what a node controller and an administrator do to
 * nodes, and acts as those it plays. They are named one by one: a rule for all users would make it an administrator.
 */
export function labRbac(namespace: string, { nodes, users = [], serviceAccounts = [] }: LabParts): KubeObject[] {
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
        // Who wants to read a log, and may they?
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
      // Whose certificates to believe.
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
