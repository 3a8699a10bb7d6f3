import type { KubeObject } from "../../../language/object/meta.ts";
import { releaseName } from "../names.ts";
import { gateLabels, gateName } from "./gate-names.ts";
import type { Pod } from "./gated-pod.ts";

/** The Role and RoleBinding of a pod's gate. */
export function accessName(podUid: string): string {
  return `${gateName}-${podUid}`;
}

/** The sidecar's rights: its token is that of the pod's account, which may lack them. They name two objects, and are deleted with the pod. */
export function gateAccess(pod: Pod): KubeObject[] {
  const { name = "", namespace = "", uid = "" } = pod.metadata;
  const metadata = {
    name: accessName(uid),
    namespace,
    labels: { "app.kubernetes.io/part-of": "attune", ...gateLabels },
    ownerReferences: [{ apiVersion: "v1", kind: "Pod", name, uid }],
  };
  const apiVersion = "rbac.authorization.k8s.io/v1";
  const reads = (resource: string, of: string): object => ({
    apiGroups: [""],
    resources: [resource],
    resourceNames: [of],
    verbs: ["get", "list", "watch"],
  });
  return [
    { apiVersion, kind: "Role", metadata, rules: [reads("pods", name), reads("configmaps", releaseName(uid))] },
    {
      apiVersion,
      kind: "RoleBinding",
      metadata,
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: metadata.name },
      subjects: [{ kind: "ServiceAccount", name: pod.spec?.serviceAccountName || "default", namespace }],
    },
  ];
}
