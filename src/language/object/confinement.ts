import type { Grant } from "./grant.ts";

/** Not root, and no user of the node. */
const user = 65532;

/**
 * For pods that need nothing of their node: Pod Security `restricted`. The user is a number, since the kubelet refuses a
 * container with `runAsNonRoot` whose image runs as root or names its user.
 */
export const confinedPod = {
  runAsNonRoot: true,
  runAsUser: user,
  runAsGroup: user,
  seccompProfile: { type: "RuntimeDefault" },
};

export const confinedContainer = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ["ALL"] },
};

/** `namespace` is that of the account's pods. */
export function confinedPodGrant(namespace: string): Grant {
  return {
    within: namespace,
    because: "OpenShift requires it for a user outside of the range of the namespace",
    apiGroups: ["security.openshift.io"],
    resources: ["securitycontextconstraints"],
    resourceNames: ["nonroot-v2"],
    verbs: ["use"],
  };
}
