import { group } from "../../domain/hosted/protocol.ts";
import { confinedPodGrant } from "../../language/object/confinement.ts";
import { type Grant, rbacObjects, ruleOf } from "../../language/object/grant.ts";
import { definitionName, type KubeObject } from "../../language/object/meta.ts";
import { managementName, managementServiceAccount } from "./names.ts";
import { optionalKinds } from "./optional-kinds.ts";

/** The ClusterRole that operators of hosted clusters have in their control plane namespace. */
export const hostedOperatorRole = "attune:hosted-operator";
const rbac = "rbac.authorization.k8s.io";
const read = ["list", "watch"];
const leases = { apiGroups: ["coordination.k8s.io"], resources: ["leases"] };
/** Server-side apply needs create and patch. */
const ownVerbs = [...read, "create", "patch", "delete"];

/** All rights of the management side. NodePools and control planes are in namespaces that are not known beforehand. */
export function managementGrants(namespace: string): Grant[] {
  return [
    {
      because: "what nodes of hosted clusters are to be, and where their control planes are",
      apiGroups: [group],
      resources: ["nodepools", "hostedclusters"],
      verbs: read,
    },
    {
      because:
        "a finalizer until what was made for a NodePool is gone, its HostedCluster as its owner, and the configuration that its nodes have",
      apiGroups: [group],
      resources: ["nodepools"],
      verbs: ["patch"],
    },
    {
      because:
        "what is wrong with a NodePool, and how far its nodes have come; whether an operator tunes a hosted cluster",
      apiGroups: [group],
      resources: ["nodepools/status", "hostedclusters/status"],
      verbs: ["patch"],
    },
    {
      because: "users' ConfigMaps that NodePools refer to, and those of control planes in which tuning travels",
      apiGroups: [""],
      resources: ["configmaps"],
      verbs: [...read, "create", "update", "delete"],
    },
    {
      because: "finalizers of an operator that is gone with its hosted cluster",
      apiGroups: [""],
      resources: ["configmaps"],
      verbs: ["patch"],
    },
    {
      because: "kubeconfigs of hosted clusters",
      apiGroups: [""],
      resources: ["secrets"],
      verbs: ["get"],
    },
    {
      because:
        "a copy of such a kubeconfig where the operator of the hosted cluster mounts it, and what machines boot with",
      apiGroups: [""],
      resources: ["secrets"],
      verbs: [...ownVerbs, "update"],
    },
    {
      because: "the operator of each hosted cluster runs in its control plane namespace",
      apiGroups: ["apps"],
      resources: ["deployments"],
      verbs: ["get", ...ownVerbs],
    },
    {
      because: "its account, and the Service of its metrics",
      apiGroups: [""],
      resources: ["serviceaccounts", "services"],
      verbs: ["get", ...ownVerbs],
    },
    {
      because: "gives the operator its rights in that namespace, and there only",
      apiGroups: [rbac],
      resources: ["rolebindings"],
      verbs: ["get", ...ownVerbs],
    },
    {
      because: "these rights and no others",
      apiGroups: [rbac],
      resources: ["clusterroles"],
      resourceNames: [hostedOperatorRole],
      verbs: ["bind"],
    },
    {
      because: "its metrics, where the cluster has the Prometheus operator",
      apiGroups: ["monitoring.coreos.com"],
      resources: ["servicemonitors"],
      verbs: ["get", ...ownVerbs],
    },
    {
      because: "machines of NodePools, where the cluster has Cluster API",
      apiGroups: ["cluster.x-k8s.io"],
      resources: ["machinedeployments", "machinesets"],
      verbs: ownVerbs,
    },
    {
      because: "labels, taints and releases of nodes; they go with their NodePool",
      apiGroups: ["cluster.x-k8s.io"],
      resources: ["machines"],
      verbs: [...read, "patch", "delete"],
    },
    {
      because: "whether the cluster has these kinds; they may be installed later",
      apiGroups: ["apiextensions.k8s.io"],
      resources: ["customresourcedefinitions"],
      resourceNames: Object.values(optionalKinds).map(definitionName),
      verbs: read,
    },
    {
      because: "the control plane namespace of a new hosted cluster, and that no other one is taken for it",
      apiGroups: [""],
      resources: ["namespaces"],
      verbs: ["get", ...read, "create"],
    },
    {
      because: "records events about NodePools; an event that repeats is counted",
      apiGroups: [""],
      resources: ["events"],
      verbs: ["create", "patch"],
    },
    {
      within: namespace,
      because: "leader election; RBAC cannot limit create to a name",
      ...leases,
      verbs: ["create"],
    },
    {
      within: namespace,
      because: "leader election",
      ...leases,
      resourceNames: [managementName],
      verbs: ["get", ...read, "update"],
    },
    confinedPodGrant(namespace),
  ];
}

/** All that the operator of a hosted cluster may do in the management cluster, within its control plane namespace. */
export const hostedOperatorGrants: readonly Grant[] = [
  {
    because: "Tuneds, profiles, what is derived from them, orders and reports travel in ConfigMaps",
    apiGroups: [""],
    resources: ["configmaps"],
    verbs: [...read, "create", "update", "patch", "delete"],
  },
  {
    because: "derived ConfigMaps name that of the profile as their owner, and block its deletion",
    apiGroups: [""],
    resources: ["configmaps/finalizers"],
    verbs: ["update"],
  },
  {
    because: "records events about these ConfigMaps; an event that repeats is counted",
    apiGroups: [""],
    resources: ["events"],
    verbs: ["create", "patch"],
  },
  withoutNamespace(confinedPodGrant("")),
];

export function managementRbac(namespace: string): KubeObject[] {
  const account = { namespace, name: managementServiceAccount };
  return [
    ...rbacObjects("attune:management", account, managementGrants(namespace)),
    {
      apiVersion: `${rbac}/v1`,
      kind: "ClusterRole",
      metadata: { name: hostedOperatorRole, labels: { "app.kubernetes.io/part-of": "attune" } },
      rules: hostedOperatorGrants.map(ruleOf),
    },
  ];
}

function withoutNamespace({ within: _, ...grant }: Grant): Grant {
  return grant;
}
