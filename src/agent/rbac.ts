import { group, type Protocol, tuningNamespace } from "../node-tuning/api.ts";
import { type Grant, rbacObjects } from "../object/grant.ts";
import type { KubeObject } from "../object/meta.ts";

export const agentServiceAccount = "attune-agent";

/**
 * All that a node's agent may do: read Profiles and write their status, and see whether the DaemonSet is still there that
 * started it. Under the shipped protocol it also writes to its Node. `namespace` is where its account lives.
 */
export function agentRbac(namespace: string, protocol: Protocol = "documented"): KubeObject[] {
  const subjects = [{ kind: "ServiceAccount", name: agentServiceAccount, namespace }];
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", name };
  return [
    { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: agentServiceAccount, namespace } },
    {
      apiVersion: rbac,
      kind: "Role",
      metadata: { name, namespace: tuningNamespace },
      rules: [
        { apiGroups: [group], resources: ["profiles"], verbs: ["get", "list", "watch"] },
        { apiGroups: [group], resources: ["profiles/status"], verbs: ["patch"] },
        { apiGroups: ["apps"], resources: ["daemonsets"], resourceNames: [agentDaemonSetName], verbs: ["get"] },
      ],
    },
    {
      apiVersion: rbac,
      kind: "RoleBinding",
      metadata: { name, namespace: tuningNamespace },
      roleRef: { ...roleRef, kind: "Role" },
      subjects,
    },
    ...(protocol === "shipped"
      ? [
          {
            apiVersion: rbac,
            kind: "ClusterRole",
            metadata: { name },
            rules: [{ apiGroups: [""], resources: ["nodes"], verbs: ["get", "patch"] }],
          },
          {
            apiVersion: rbac,
            kind: "ClusterRoleBinding",
            metadata: { name },
            roleRef: { ...roleRef, kind: "ClusterRole" },
            subjects,
          },
        ]
      : []),
  ];
}
