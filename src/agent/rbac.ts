import { group, type Protocol, tuningNamespace } from "../node-tuning/api.ts";
import type { KubeObject } from "../object/meta.ts";

export const agentServiceAccount = "attune-agent";

const rbac = "rbac.authorization.k8s.io/v1";
const name = "attune:agent";

/**
 * All that a node's agent may do: read Profiles and write their status. Which one, own-node-policies.ts says.
 * `namespace` is where its account lives.
 */
export function agentRbac(namespace: string, protocol: Protocol = "documented"): KubeObject[] {
  return [
    { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: agentServiceAccount, namespace } },
    {
      apiVersion: rbac,
      kind: "Role",
      metadata: { name, namespace: tuningNamespace },
      rules: [
        { apiGroups: [group], resources: ["profiles"], verbs: ["get", "list", "watch"] },
        { apiGroups: [group], resources: ["profiles/status"], verbs: ["patch"] },
        // OpenShift asks whether a pod that reaches into its node may.
        {
          apiGroups: ["security.openshift.io"],
          resources: ["securitycontextconstraints"],
          resourceNames: ["privileged"],
          verbs: ["use"],
        },
      ],
    },
    binding("RoleBinding", "Role", namespace, { name, namespace: tuningNamespace }),
    ...(protocol === "shipped" ? nodeRbac(namespace) : []),
  ];
}

/** The shipped protocol reports in annotations of the Node. */
function nodeRbac(namespace: string): KubeObject[] {
  const rules = [{ apiGroups: [""], resources: ["nodes"], verbs: ["get", "patch"] }];
  return [
    { apiVersion: rbac, kind: "ClusterRole", metadata: { name }, rules },
    binding("ClusterRoleBinding", "ClusterRole", namespace, { name }),
  ];
}

function binding(kind: string, to: string, namespace: string, metadata: KubeObject["metadata"]): KubeObject {
  return {
    apiVersion: rbac,
    kind,
    metadata,
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: to, name },
    subjects: [{ kind: "ServiceAccount", name: agentServiceAccount, namespace }],
  };
}
