import { group, tuningNamespace } from "../node-tuning/api.ts";
import type { KubeObject } from "../object/meta.ts";

export const agentServiceAccount = "attune-agent";

const rbac = "rbac.authorization.k8s.io/v1";
const name = "attune:agent";

/** All that a node's agent may do: read Profiles and write their status. `namespace` is where its account lives. */
export function agentRbac(namespace: string): KubeObject[] {
  return [
    { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: agentServiceAccount, namespace } },
    {
      apiVersion: rbac,
      kind: "Role",
      metadata: { name, namespace: tuningNamespace },
      rules: [
        { apiGroups: [group], resources: ["profiles"], verbs: ["get", "list", "watch"] },
        { apiGroups: [group], resources: ["profiles/status"], verbs: ["patch"] },
      ],
    },
    {
      apiVersion: rbac,
      kind: "RoleBinding",
      metadata: { name, namespace: tuningNamespace },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name },
      subjects: [{ kind: "ServiceAccount", name: agentServiceAccount, namespace }],
    },
  ];
}
