import type { KubeObject } from "../object/meta.ts";

export const labServiceAccount = "attune-lab";

/** Who plays the kubelets: makes Nodes, writes their status, renews their leases. */
export function labRbac(namespace: string): KubeObject[] {
  const rbac = "rbac.authorization.k8s.io/v1";
  const subjects = [{ kind: "ServiceAccount", name: labServiceAccount, namespace }];
  return [
    { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: labServiceAccount, namespace } },
    {
      apiVersion: rbac,
      kind: "ClusterRole",
      metadata: { name: "attune:lab" },
      rules: [
        { apiGroups: [""], resources: ["nodes"], verbs: ["create", "get", "patch"] },
        { apiGroups: [""], resources: ["nodes/status"], verbs: ["patch"] },
      ],
    },
    {
      apiVersion: rbac,
      kind: "ClusterRoleBinding",
      metadata: { name: "attune:lab" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "attune:lab" },
      subjects,
    },
    {
      apiVersion: rbac,
      kind: "Role",
      metadata: { name: "attune:lab", namespace: "kube-node-lease" },
      rules: [{ apiGroups: ["coordination.k8s.io"], resources: ["leases"], verbs: ["create", "get", "patch"] }],
    },
    {
      apiVersion: rbac,
      kind: "RoleBinding",
      metadata: { name: "attune:lab", namespace: "kube-node-lease" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "attune:lab" },
      subjects,
    },
  ];
}
