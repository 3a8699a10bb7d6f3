import type { Grant } from "../../../language/object/grant.ts";
import { group } from "../api.ts";
import { tuningNamespace } from "../names.ts";

/** All permissions of the agents of ScyllaNodeConfigs. */
export const scyllaAgentGrants: readonly Grant[] = [
  {
    because: "Scylla's pods on its node; it requests those of no other node",
    apiGroups: [""],
    resources: ["pods"],
    verbs: ["get", "list", "watch"],
  },
  {
    because: "ConfigMaps in the namespaces of Scylla's pods, which let their databases start",
    apiGroups: [""],
    resources: ["configmaps"],
    verbs: ["get", "create", "update"],
  },
  {
    because: "events of the pods of a database: whether its node is tuned, and why not",
    apiGroups: [""],
    resources: ["events"],
    verbs: ["create", "patch"],
  },
  {
    because: "whether its node belongs to its ScyllaNodeConfig, or to an older one",
    apiGroups: [group],
    resources: ["scyllanodeconfigs"],
    verbs: ["get", "list", "watch"],
  },
  {
    because: "reads labels and taints of its own node, which say whether a ScyllaNodeConfig selects it, and its uid",
    apiGroups: [""],
    resources: ["nodes"],
    verbs: ["get", "list", "watch"],
  },
  {
    within: tuningNamespace,
    because: "the Jobs that tune its node; the reason why one failed is an annotation of it",
    apiGroups: ["batch"],
    resources: ["jobs"],
    verbs: ["get", "list", "watch", "create", "patch", "delete"],
  },
  {
    within: tuningNamespace,
    because: "OpenShift requires it for privileged pods",
    apiGroups: ["security.openshift.io"],
    resources: ["securitycontextconstraints"],
    resourceNames: ["privileged"],
    verbs: ["use"],
  },
];
