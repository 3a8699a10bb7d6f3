import { group as machineConfiguration } from "../machine-config/api.ts";
import { group, tuningNamespace } from "../node-tuning/api.ts";
import { clusterOperatorName } from "../node-tuning/operator-status.ts";
import { statusConfigMapName } from "../node-tuning/operator-status-object.ts";
import type { KubeObject } from "../object/meta.ts";
import { otherDeployment } from "./other-operator.ts";

/** Where Attune's own parts live. */
export const systemNamespace = "attune-system";
export const operatorServiceAccount = "attune-operator";
/** The Lease of the operator that Attune replaces, in the namespace of the Tuneds: only one of both ever acts. */
export const operatorLease = "node-tuning-operator-lock";

const rbac = "rbac.authorization.k8s.io/v1";
const name = "attune:operator";

/** All that the operator may do, and why. On Tuneds and Profiles it is less than their document allows. */
export function operatorRbac(): KubeObject[] {
  const lease = { apiGroups: ["coordination.k8s.io"], resources: ["leases"] };
  return [
    {
      apiVersion: "v1",
      kind: "ServiceAccount",
      metadata: { name: operatorServiceAccount, namespace: systemNamespace },
    },
    clusterRole([
      // Labels and providers decide which profile a node gets.
      { apiGroups: [""], resources: ["nodes"], verbs: ["get", "list", "watch"] },
      // Only asked for while a rule goes by the labels of pods.
      { apiGroups: [""], resources: ["pods"], verbs: ["get", "list", "watch"] },
      // Pools say which nodes boot alike; the boot arguments they agree on are one MachineConfig each.
      { apiGroups: [machineConfiguration], resources: ["machineconfigpools"], verbs: ["get", "list", "watch"] },
      {
        apiGroups: [machineConfiguration],
        resources: ["machineconfigs"],
        verbs: ["get", "list", "watch", "create", "update", "delete"],
      },
      // Where OpenShift looks for the status of its operators.
      {
        apiGroups: ["config.openshift.io"],
        resources: ["clusteroperators"],
        verbs: ["get", "list", "watch", "create"],
      },
      {
        apiGroups: ["config.openshift.io"],
        resources: ["clusteroperators/status"],
        resourceNames: [clusterOperatorName],
        verbs: ["patch"],
      },
      // Tells of what changed, beside the objects that it concerns; those without a namespace have theirs in default.
      { apiGroups: [""], resources: ["events"], verbs: ["create", "patch"] },
    ]),
    binding("ClusterRoleBinding", "ClusterRole"),
    role(tuningNamespace, [
      // Reads what users write; puts the default Tuned in its place with server-side apply.
      { apiGroups: [group], resources: ["tuneds"], verbs: ["get", "list", "watch", "create", "patch"] },
      { apiGroups: [group], resources: ["tuneds/status"], verbs: ["patch"] },
      // One Profile a node. Their status is the nodes' to write.
      { apiGroups: [group], resources: ["profiles"], verbs: ["get", "list", "watch", "create", "update", "delete"] },
      // The agents, which come and go with managementState.
      {
        apiGroups: ["apps"],
        resources: ["daemonsets"],
        verbs: ["get", "list", "watch", "create", "patch", "delete"],
      },
      // Its own status, where the cluster has no place for it.
      { apiGroups: [""], resources: ["configmaps"], verbs: ["create"] },
      {
        apiGroups: [""],
        resources: ["configmaps"],
        resourceNames: [statusConfigMapName],
        verbs: ["get", "list", "watch", "update"],
      },
      // Whether the operator that Attune replaces is meant to run.
      { apiGroups: ["apps"], resources: ["deployments"], resourceNames: [otherDeployment], verbs: ["get"] },
      // Leader election.
      { ...lease, verbs: ["create"] },
      { ...lease, resourceNames: [operatorLease], verbs: ["get", "update"] },
    ]),
    binding("RoleBinding", "Role", tuningNamespace),
  ];
}

interface PolicyRule {
  apiGroups: string[];
  resources: string[];
  resourceNames?: string[];
  verbs: string[];
}

function clusterRole(rules: PolicyRule[]): KubeObject {
  return { apiVersion: rbac, kind: "ClusterRole", metadata: { name }, rules };
}

function role(namespace: string, rules: PolicyRule[]): KubeObject {
  return { apiVersion: rbac, kind: "Role", metadata: { name, namespace }, rules };
}

function binding(
  kind: "ClusterRoleBinding" | "RoleBinding",
  to: "ClusterRole" | "Role",
  namespace?: string,
): KubeObject {
  return {
    apiVersion: rbac,
    kind,
    metadata: namespace === undefined ? { name } : { name, namespace },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: to, name },
    subjects: [{ kind: "ServiceAccount", name: operatorServiceAccount, namespace: systemNamespace }],
  };
}
