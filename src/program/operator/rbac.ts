import {
  containerRuntimeConfigKind,
  controllerConfigKind,
  controllerConfigName,
  group as machineConfiguration,
  kubeletConfigKind,
  machineConfigKind,
  machineConfigPoolKind,
} from "../../domain/machine-config/api.ts";
import { agentDaemonSetName } from "../../domain/node-tuning/agent-daemon-set.ts";
import { group, tuningNamespace } from "../../domain/node-tuning/api.ts";
import { group as performance, performanceProfileKind } from "../../domain/performance-profile/api.ts";
import { featureGateKind } from "../../domain/performance-profile/mixed-cpus-allowed.ts";
import { scyllaNodeConfigKind, scyllaOperatorConfigKind } from "../../domain/scylla/api.ts";
import { infrastructureKind, partitioningConfigMap } from "../../domain/workload-partitioning/identifier.ts";
import { clusterOperatorName } from "../../domain/node-tuning/status/operator-status.ts";
import { statusConfigMapName } from "../../domain/node-tuning/status/operator-status-object.ts";
import { confinedPodGrant } from "../../language/object/confinement.ts";
import { type Grant, rbacObjects } from "../../language/object/grant.ts";
import { definitionName, type KubeObject } from "../../language/object/meta.ts";
import { firstBootGrants } from "./first-boot/rbac.ts";
import { systemNamespace } from "./names.ts";
import { scyllaGrants } from "./scylla/rbac.ts";

/** The ConfigMap in which the API server publishes the authorities of client certificates. */
export const authentication = { namespace: "kube-system", name: "extension-apiserver-authentication" };
export const operatorServiceAccount = "attune-operator";
/** The Lease that the operator Attune replaces also uses, in the namespace of the Tuneds: only one of both acts. */
export const operatorLease = "node-tuning-operator-lock";
/** The Deployment of the operator that Attune replaces, in the same namespace. */
export const otherDeployment = "cluster-node-tuning-operator";

const read = ["list", "watch"];
const leases = { apiGroups: ["coordination.k8s.io"], resources: ["leases"] };
const configMaps = { apiGroups: [""], resources: ["configmaps"] };
const clusterOperators = { apiGroups: ["config.openshift.io"], resources: ["clusteroperators"] };

/** For pools. */
const ofMachineConfiguration: readonly Grant[] = [
  {
    because: "which of these kinds the cluster has; they may be installed later",
    apiGroups: ["apiextensions.k8s.io"],
    resources: ["customresourcedefinitions"],
    resourceNames: [
      ...[machineConfigPoolKind, machineConfigKind, kubeletConfigKind, containerRuntimeConfigKind].map(definitionName),
      definitionName(performanceProfileKind),
      ...[infrastructureKind, featureGateKind, controllerConfigKind].map(definitionName),
      ...[scyllaNodeConfigKind, scyllaOperatorConfigKind].map(definitionName),
      "clusteroperators.config.openshift.io",
    ],
    verbs: read,
  },
  {
    because: "it exists where a Machine Config Operator rolls pools out; elsewhere Attune does",
    apiGroups: [machineConfiguration],
    resources: ["controllerconfigs"],
    resourceNames: [controllerConfigName],
    verbs: ["get", ...read],
  },
  {
    because: "pools decide which nodes share boot arguments",
    apiGroups: [machineConfiguration],
    resources: ["machineconfigpools"],
    verbs: read,
  },
  {
    because:
      "the boot arguments of a pool are one MachineConfig, named after it; files and units of a PerformanceProfile are another",
    apiGroups: [machineConfiguration],
    resources: ["machineconfigs"],
    verbs: [...read, "create", "update", "delete"],
  },
  {
    because: "a PerformanceProfile configures the kubelets of its pool; finalizers where Attune rolls pools out",
    apiGroups: [machineConfiguration],
    resources: ["kubeletconfigs"],
    verbs: [...read, "create", "update", "patch", "delete"],
  },
  {
    because: "they become MachineConfigs where Attune rolls pools out, and have finalizers until these are gone",
    apiGroups: [machineConfiguration],
    resources: ["containerruntimeconfigs"],
    verbs: [...read, "patch"],
  },
  {
    because: "whether they were accepted, and which fields two of them set differently",
    apiGroups: [machineConfiguration],
    resources: ["kubeletconfigs/status", "containerruntimeconfigs/status"],
    verbs: ["patch"],
  },
  {
    because: "a PerformanceProfile gives pods a RuntimeClass",
    apiGroups: ["node.k8s.io"],
    resources: ["runtimeclasses"],
    verbs: [...read, "create", "update", "delete"],
  },
];

/** For OpenShift's configuration, and for the status of its operators. */
const ofOpenShift: readonly Grant[] = [
  {
    because: "CPU partitioning and mixed CPUs decide what is derived from a PerformanceProfile",
    apiGroups: ["config.openshift.io"],
    resources: ["infrastructures", "featuregates"],
    resourceNames: ["cluster"],
    verbs: read,
  },
  {
    because: "notes that a single node is partitioned which was so before the Infrastructure could say it",
    apiGroups: ["config.openshift.io"],
    resources: ["infrastructures/status"],
    resourceNames: ["cluster"],
    verbs: ["patch"],
  },
  {
    because: "OpenShift expects the status of its operators there; RBAC cannot limit create to a name",
    ...clusterOperators,
    verbs: ["create"],
  },
  {
    because: "only its own",
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
    within: authentication.namespace,
    because: "only clients whose certificates the cluster signed may read metrics",
    ...configMaps,
    resourceNames: [authentication.name],
    verbs: read,
  },
];

/** Where no Machine Config Operator runs; beside one, only the patch of pools. */
const ofRollout: readonly Grant[] = [
  {
    because:
      "pools master and worker where there are none, and in each pool the rendered config that its nodes should have; beside a Machine Config Operator, pauses a pool that may be while the objects of a PerformanceProfile are written",
    apiGroups: [machineConfiguration],
    resources: ["machineconfigpools"],
    verbs: ["create", "patch"],
  },
  {
    because: "counts and conditions of pools",
    apiGroups: [machineConfiguration],
    resources: ["machineconfigpools/status"],
    verbs: ["patch"],
  },
  {
    because:
      "writes the config of a node into its annotations, taints it while it waits, cordons it for a drain and uncordons it",
    apiGroups: [""],
    resources: ["nodes"],
    verbs: ["get", "patch"],
  },
  {
    because: "one condition of a node that several custom pools select",
    apiGroups: [""],
    resources: ["nodes/status"],
    verbs: ["patch"],
  },
  {
    because:
      "whether running nodes can change from the rendered config they have; notes on it which MachineConfigs it came from",
    apiGroups: [machineConfiguration],
    resources: ["machineconfigs"],
    verbs: ["get", "patch"],
  },
  {
    because: "rendered configs name the pool as their owner, and block its deletion",
    apiGroups: [machineConfiguration],
    resources: ["machineconfigpools/finalizers"],
    verbs: ["update"],
  },
  {
    because: "drains a node as its PodDisruptionBudgets allow",
    apiGroups: [""],
    resources: ["pods/eviction"],
    verbs: ["create"],
  },
  {
    because: "names the budgets that hold a drain up",
    apiGroups: ["policy"],
    resources: ["poddisruptionbudgets"],
    verbs: ["list"],
  },
];

/** Where nothing else is written to Nodes. */
const ofStartup: Grant = {
  because: "taints a node that restarts or joins until its agent has tuned it",
  apiGroups: [""],
  resources: ["nodes"],
  verbs: ["patch"],
};

export type RightsMode = "auto" | "standalone" | "plain" | "tuning";

/**
 * All rights of the operator. On Tuneds and Profiles they are fewer than the upstream document allows. `namespace` is where
 * it runs.
 */
export function operatorGrants(mode: RightsMode = "auto", namespace = systemNamespace): Grant[] {
  return [
    {
      because: "labels and providers decide which profile a node gets",
      apiGroups: [""],
      resources: ["nodes"],
      verbs: read,
    },
    {
      because:
        "listed only while a Tuned matches labels of pods, which may be in any namespace, and on partitioned clusters, to report pods that the webhook did not review",
      apiGroups: [""],
      resources: ["pods"],
      verbs: read,
    },
    ...(mode === "tuning" ? [ofStartup] : [...ofMachineConfiguration, ...ofRollout]),
    ...(mode === "tuning" || mode === "plain" ? [] : ofOpenShift),
    {
      because: "objects are derived from PerformanceProfiles; a finalizer keeps a profile until they are deleted",
      apiGroups: [performance],
      resources: ["performanceprofiles"],
      verbs: [...read, "patch"],
    },
    {
      because: "derived objects name the profile as their owner, and block its deletion",
      apiGroups: [performance],
      resources: ["performanceprofiles/finalizers"],
      verbs: ["update"],
    },
    {
      because: "how far the nodes of a profile have come",
      apiGroups: [performance],
      resources: ["performanceprofiles/status"],
      verbs: ["patch"],
    },
    {
      because: "the Tuneds of users; those outside its namespace have no effect, and their authors must learn it",
      apiGroups: [group],
      resources: ["tuneds"],
      verbs: read,
    },
    {
      because: "reports whether a Tuned is valid, or ignored since it is in another namespace",
      apiGroups: [group],
      resources: ["tuneds/status"],
      verbs: ["patch"],
    },
    {
      because:
        "records events about its objects and about ignored Tuneds, in their namespaces; an event that repeats is counted",
      apiGroups: [""],
      resources: ["events"],
      verbs: ["create", "patch"],
    },
    {
      within: tuningNamespace,
      because: "creates and restores the default Tuned, and those of PerformanceProfiles",
      apiGroups: [group],
      resources: ["tuneds"],
      verbs: ["create", "patch", "update", "delete"],
    },
    {
      within: tuningNamespace,
      because: "one Profile for each node; agents write the status",
      apiGroups: [group],
      resources: ["profiles"],
      verbs: [...read, "create", "update", "delete"],
    },
    {
      within: tuningNamespace,
      because: "the agents; managementState decides whether they run",
      apiGroups: ["apps"],
      resources: ["daemonsets"],
      resourceNames: [agentDaemonSetName],
      verbs: [...read, "create", "update", "patch", "delete"],
    },
    {
      within: tuningNamespace,
      because: "its own status on clusters without ClusterOperators; RBAC cannot limit create to a name",
      ...configMaps,
      verbs: ["create"],
    },
    {
      within: tuningNamespace,
      because: "only its own status",
      ...configMaps,
      resourceNames: [statusConfigMapName],
      verbs: [...read, "update"],
    },
    {
      within: partitioningConfigMap.namespace,
      because: "whether the cluster is partitioned, where it has no Infrastructure; notes there that a single node is",
      ...configMaps,
      resourceNames: [partitioningConfigMap.name],
      verbs: mode === "tuning" ? read : [...read, "patch"],
    },
    {
      within: tuningNamespace,
      because: "whether the operator that Attune replaces is scaled to zero",
      apiGroups: ["apps"],
      resources: ["deployments"],
      resourceNames: [otherDeployment],
      verbs: read,
    },
    {
      within: tuningNamespace,
      because: "leader election; RBAC cannot limit create to a name",
      ...leases,
      verbs: ["create"],
    },
    {
      within: tuningNamespace,
      because: "leader election, also between Attune and the operator it replaces",
      ...leases,
      resourceNames: [operatorLease],
      verbs: ["get", ...read, "update"],
    },
    confinedPodGrant(namespace),
  ];
}

/** Rights for what an installation chooses. */
export interface OptionalDuties {
  /** Serves first boots. */
  readonly firstBoots?: boolean;
  /** Tunes nodes of Scylla databases. */
  readonly scylla?: boolean;
}

export function operatorRbac(
  namespace: string,
  mode: RightsMode,
  { firstBoots = false, scylla = false }: OptionalDuties = {},
): KubeObject[] {
  const grants = [
    ...operatorGrants(mode, namespace),
    ...(firstBoots ? firstBootGrants : []),
    ...(scylla ? scyllaGrants : []),
  ];
  return rbacObjects("attune:operator", { namespace, name: operatorServiceAccount }, grants);
}
