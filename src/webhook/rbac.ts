import type { KubeObject } from "../object/meta.ts";
import { configurationName } from "./registration.ts";

export const webhookServiceAccount = "attune-webhook";
export const webhookSecret = "attune-webhook-tls";

const rbac = "rbac.authorization.k8s.io/v1";
const name = "attune:webhook";

/** All that the webhook may do, and why. `namespace` is where it runs. */
export function webhookRbac(namespace: string): KubeObject[] {
  const admission = ["mutatingwebhookconfigurations", "validatingwebhookconfigurations"];
  const subjects = [{ kind: "ServiceAccount", name: webhookServiceAccount, namespace }];
  return [
    { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: webhookServiceAccount, namespace } },
    {
      apiVersion: rbac,
      kind: "ClusterRole",
      metadata: { name },
      rules: [
        // A name cannot be held to before there is one: creating is not limited, everything else is.
        { apiGroups: ["admissionregistration.k8s.io"], resources: admission, verbs: ["create"] },
        {
          apiGroups: ["admissionregistration.k8s.io"],
          resources: admission,
          resourceNames: [configurationName],
          verbs: ["get", "list", "watch", "patch", "delete"],
        },
        // Says in the definitions of Attune's kinds who converts them.
        {
          apiGroups: ["apiextensions.k8s.io"],
          resources: ["customresourcedefinitions"],
          verbs: ["get", "list", "watch", "patch"],
        },
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
      metadata: { name, namespace },
      rules: [
        { apiGroups: [""], resources: ["secrets"], verbs: ["create"] },
        // Its own keys and no others.
        {
          apiGroups: [""],
          resources: ["secrets"],
          resourceNames: [webhookSecret],
          verbs: ["get", "list", "watch", "update"],
        },
      ],
    },
    {
      apiVersion: rbac,
      kind: "RoleBinding",
      metadata: { name, namespace },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name },
      subjects,
    },
  ];
}
