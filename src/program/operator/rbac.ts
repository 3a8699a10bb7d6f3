import { group as machineConfiguration } from "../../domain/machine-config/api.ts";
import { agentDaemonSetName } from "../../domain/node-tuning/agent-daemon-set.ts";
import { group, tuningNamespace } from "../../domain/node-tuning/api.ts";
import { clusterOperatorName } from "../../domain/node-tuning/status/operator-status.ts";
import { statusConfigMapName } from "../../domain/node-tuning/status/operator-status-object.ts";
import { type Grant, rbacObjects } from "../../language/object/grant.ts";
import type { KubeObject } from "../../language/object/meta.ts";
import { otherDeployment } from "./other-operator.ts";

/** Where Attune's own parts live. */
export const systemNamespace = "attune-system";
export const operatorServiceAccount = "attune-operator";
/** The Lease of the operator that Attune replaces, in the namespace of the Tuneds: only one of both ever acts. */
export const operatorLease = "node-tuning-operator-lock";

const read = ["list", "watch"];
const leases = { apiGroups: ["coordination.k8s.io"], resources: ["leases"] };
const configMaps = { apiGroups: [""], resources: ["configmaps"] };
const clusterOperators = { apiGroups: ["config.openshift.io"], resources: ["clusteroperators"] };

/** All that the operator may do. On Tuneds and Profiles it is less than their document allows. */
export const operatorGrants: readonly Grant[] = [
  {
    because: "labels and providers decide which profile a node gets",
    apiGroups: [""],
    resources: ["nodes"],
    verbs: read,
  },
  {
    because: "asked for only while a rule goes by labels of pods, which may be anywhere",
    apiGroups: [""],
    resources: ["pods"],
    verbs: read,
  },
  {
    because: "pools say which nodes boot alike",
    apiGroups: [machineConfiguration],
    resources: ["machineconfigpools"],
    verbs: read,
  },
  {
    because: "the boot arguments that a pool agrees on are one MachineConfig, named after it",
    apiGroups: [machineConfiguration],
    resources: ["machineconfigs"],
    verbs: [...read, "create", "update", "delete"],
  },
  {
    because: "OpenShift looks there for the status of its operators; a name cannot be held to before there is one",
    ...clusterOperators,
    verbs: ["create"],
  },
  {
    because: "the operator's own, and no other",
    ...clusterOperators,
    resourceNames: [clusterOperatorName],
    verbs: read,
  },
  {
    because: "conditions of the operator",
    apiGroups: ["config.openshift.io"],
    resources: ["clusteroperators/status"],
    resourceNames: [clusterOperatorName],
    verbs: ["patch"],
  },
  {
    within: tuningNamespace,
    because: "reads what users write, and puts the default Tuned in its place",
    apiGroups: [group],
    resources: ["tuneds"],
    verbs: [...read, "create", "patch"],
  },
  {
    within: tuningNamespace,
    because: "tells users whether their Tuneds are valid",
    apiGroups: [group],
    resources: ["tuneds/status"],
    verbs: ["patch"],
  },
  {
    within: tuningNamespace,
    because: "one Profile a node; their status is the nodes' to write",
    apiGroups: [group],
    resources: ["profiles"],
    verbs: [...read, "create", "update", "delete"],
  },
  {
    within: tuningNamespace,
    because: "the agents, which come and go with managementState",
    apiGroups: ["apps"],
    resources: ["daemonsets"],
    resourceNames: [agentDaemonSetName],
    verbs: [...read, "create", "update", "patch", "delete"],
  },
  {
    within: tuningNamespace,
    because: "its own status where there are no ClusterOperators; a name cannot be held to before there is one",
    ...configMaps,
    verbs: ["create"],
  },
  {
    within: tuningNamespace,
    because: "its own status, and no other ConfigMap",
    ...configMaps,
    resourceNames: [statusConfigMapName],
    verbs: [...read, "update"],
  },
  {
    within: tuningNamespace,
    because: "whether the operator that Attune replaces is meant to run",
    apiGroups: ["apps"],
    resources: ["deployments"],
    resourceNames: [otherDeployment],
    verbs: ["get"],
  },
  {
    within: tuningNamespace,
    because: "one leader; a name cannot be held to before there is one",
    ...leases,
    verbs: ["create"],
  },
  {
    within: tuningNamespace,
    because: "one leader, also between Attune and the operator it replaces",
    ...leases,
    resourceNames: [operatorLease],
    verbs: ["get", "update"],
  },
  ...[tuningNamespace, "default"].map((within) => ({
    within,
    because:
      within === "default"
        ? "events about objects without a namespace are there"
        : "tells what changed beside the objects that it concerns; one that happens again is counted",
    apiGroups: [""],
    resources: ["events"],
    verbs: ["create", "patch"],
  })),
];

/** `namespace` is where the operator runs. */
export function operatorRbac(namespace = systemNamespace): KubeObject[] {
  return rbacObjects("attune:operator", { namespace, name: operatorServiceAccount }, operatorGrants);
}
