import type { KubeObject } from "../../../../language/object/meta.ts";
import { bootstrapClusterRoles, bootstrapRoles, type RoleData } from "./bootstrap-roles.ts";
import { controllerRoles } from "./controller-roles.ts";

const API_VERSION = "rbac.authorization.k8s.io/v1";
const GROUP = "rbac.authorization.k8s.io";

/** `Group:system:masters`, `User:system:kube-scheduler`, `ServiceAccount:kube-system/kube-dns`. */
const clusterRoleBindings: Readonly<Record<string, readonly string[]>> = {
  "cluster-admin": ["Group:system:masters"],
  "system:basic-user": ["Group:system:authenticated"],
  "system:discovery": ["Group:system:authenticated"],
  "system:kube-controller-manager": ["User:system:kube-controller-manager"],
  "system:kube-dns": ["ServiceAccount:kube-system/kube-dns"],
  "system:kube-scheduler": ["User:system:kube-scheduler"],
  // The user of the API server's own requests to kubelets. It has no other rights, because a node chooses the address
  // that it gives as its kubelet's.
  "system:kubelet-api-admin": ["User:system:kube-apiserver"],
  "system:monitoring": ["Group:system:monitoring"],
  // Nodes are authorised by the Node authorizer, not by this role; kube-apiserver too leaves it without subjects.
  "system:node": [],
  "system:node-proxier": ["User:system:kube-proxy"],
  "system:public-info-viewer": ["Group:system:authenticated", "Group:system:unauthenticated"],
  "system:service-account-issuer-discovery": ["Group:system:serviceaccounts"],
  "system:volume-scheduler": ["User:system:kube-scheduler"],
};

/** RoleBindings in kube-system. */
const roleBindings: readonly { readonly name: string; readonly role: string; readonly subjects: readonly string[] }[] =
  [
    {
      name: "system::extension-apiserver-authentication-reader",
      role: "extension-apiserver-authentication-reader",
      subjects: ["User:system:kube-controller-manager", "User:system:kube-scheduler"],
    },
    {
      name: "system::leader-locking-kube-controller-manager",
      role: "system::leader-locking-kube-controller-manager",
      subjects: [
        "User:system:kube-controller-manager",
        "ServiceAccount:kube-system/kube-controller-manager",
        "ServiceAccount:kube-system/leader-election-controller",
      ],
    },
    {
      name: "system::leader-locking-kube-scheduler",
      role: "system::leader-locking-kube-scheduler",
      subjects: ["User:system:kube-scheduler", "ServiceAccount:kube-system/kube-scheduler"],
    },
  ];

/** The roles and bindings of a new server. The namespace kube-system must exist first. */
export function bootstrapObjects(): KubeObject[] {
  return [
    ...Object.entries(bootstrapClusterRoles).map(([name, data]) => role("ClusterRole", name, data)),
    ...Object.entries(bootstrapRoles).map(([name, data]) => role("Role", name, data)),
    ...Object.entries(clusterRoleBindings).map(([name, subjects]) => ({
      ...head("ClusterRoleBinding", name),
      roleRef: { apiGroup: GROUP, kind: "ClusterRole", name },
      ...(subjects.length > 0 ? { subjects: subjects.map(subject) } : {}),
    })),
    ...Object.entries(controllerRoles).flatMap(([name, rules]) => [
      role("ClusterRole", `system:controller:${name}`, { rules }),
      {
        ...head("ClusterRoleBinding", `system:controller:${name}`),
        roleRef: { apiGroup: GROUP, kind: "ClusterRole", name: `system:controller:${name}` },
        subjects: [subject(`ServiceAccount:kube-system/${name}`)],
      },
    ]),
    ...roleBindings.map(({ name, role: roleName, subjects }) => ({
      ...head("RoleBinding", name),
      roleRef: { apiGroup: GROUP, kind: "Role", name: roleName },
      subjects: subjects.map(subject),
    })),
  ];
}

function head(kind: string, name: string, labels: Readonly<Record<string, string>> = {}): KubeObject {
  const namespaced = kind === "Role" || kind === "RoleBinding";
  return {
    apiVersion: API_VERSION,
    kind,
    metadata: {
      name,
      ...(namespaced ? { namespace: "kube-system" } : {}),
      labels: { "kubernetes.io/bootstrapping": "rbac-defaults", ...labels },
      annotations: { "rbac.authorization.kubernetes.io/autoupdate": "true" },
    },
  };
}

function role(kind: string, name: string, { rules, aggregate, aggregateTo }: RoleData): KubeObject {
  const label = (target: string): Record<string, string> => ({
    [`rbac.authorization.k8s.io/aggregate-to-${target}`]: "true",
  });
  return {
    ...head(kind, name, aggregateTo ? label(aggregateTo) : {}),
    ...(aggregate
      ? { aggregationRule: { clusterRoleSelectors: [{ matchLabels: label(aggregate) }] }, rules: null }
      : { rules }),
  };
}

function subject(text: string): Record<string, string> {
  const colon = text.indexOf(":");
  const kind = text.slice(0, colon);
  const name = text.slice(colon + 1);
  if (kind !== "ServiceAccount") return { apiGroup: GROUP, kind, name };
  const [namespace = "", account = ""] = name.split("/");
  return { kind, name: account, namespace };
}
