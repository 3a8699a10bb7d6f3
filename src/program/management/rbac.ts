import { group } from "../../domain/hosted/protocol.ts";
import { confinedPodGrant } from "../../language/object/confinement.ts";
import { type Grant, rbacObjects } from "../../language/object/grant.ts";
import type { KubeObject } from "../../language/object/meta.ts";
import { managementName, managementServiceAccount } from "./names.ts";

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
      because: "kubeconfigs of hosted clusters",
      apiGroups: [""],
      resources: ["secrets"],
      verbs: ["get"],
    },
    {
      because: "a copy of such a kubeconfig where the operator of the hosted cluster mounts it",
      apiGroups: [""],
      resources: ["secrets"],
      verbs: ownVerbs,
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
      because: "its rights, which are limited to that namespace and to rights of this table",
      apiGroups: ["rbac.authorization.k8s.io"],
      resources: ["roles", "rolebindings"],
      verbs: ["get", ...ownVerbs],
    },
    {
      because: "its metrics, where the cluster has the Prometheus operator",
      apiGroups: ["monitoring.coreos.com"],
      resources: ["servicemonitors"],
      verbs: ["get", ...ownVerbs],
    },
    {
      because: "the control plane namespace of a new hosted cluster",
      apiGroups: [""],
      resources: ["namespaces"],
      verbs: ["get", "create"],
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
    // It may give only what it has, and control planes are in many namespaces.
    withoutNamespace(confinedPodGrant(namespace)),
  ];
}

export function managementRbac(namespace: string): KubeObject[] {
  return rbacObjects("attune:management", { namespace, name: managementServiceAccount }, managementGrants(namespace));
}

function withoutNamespace({ within: _, ...grant }: Grant): Grant {
  return grant;
}
