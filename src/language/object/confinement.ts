import type { Grant } from "./grant.ts";
import type { KubeObject } from "./meta.ts";

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

/** A namespace of Attune, and what pods there may ask for. */
export function namespaceObject(
  name: string,
  podSecurity: "privileged" | "restricted",
  labels: Record<string, string> = {},
  annotations?: Record<string, string>,
): KubeObject {
  return {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: {
      name,
      labels: {
        "app.kubernetes.io/part-of": "attune",
        ...labels,
        ...Object.fromEntries(
          ["enforce", "audit", "warn"].map((what) => [`pod-security.kubernetes.io/${what}`, podSecurity]),
        ),
      },
      ...(annotations ? { annotations } : {}),
    },
  };
}

/** On different nodes, where there are enough. */
export function spreadOverNodes(matchLabels: Readonly<Record<string, string>>): object[] {
  return [
    {
      maxSkew: 1,
      topologyKey: "kubernetes.io/hostname",
      whenUnsatisfiable: "ScheduleAnyway",
      labelSelector: { matchLabels },
    },
  ];
}

/** Of a container that serves `/healthz` and `/readyz` on this named port. */
export function probesOn(port: string, readySeconds = 10): object {
  const probe = (path: string): object => ({ httpGet: { path, port } });
  return {
    livenessProbe: { ...probe("/healthz"), initialDelaySeconds: 10, periodSeconds: 20 },
    readinessProbe: { ...probe("/readyz"), periodSeconds: readySeconds },
  };
}
