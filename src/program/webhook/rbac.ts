import { confinedPodGrant } from "../../language/object/confinement.ts";
import { type Grant, rbacObjects } from "../../language/object/grant.ts";
import { definitionName, type KindRef, type KubeObject } from "../../language/object/meta.ts";
import {
  group as machineConfiguration,
  machineConfigKind,
  machineConfigPoolKind,
} from "../../domain/machine-config/api.ts";
import { group as nodeTuning, profileKind, tunedKind, tuningNamespace } from "../../domain/node-tuning/api.ts";
import { group as performance, performanceProfileKind } from "../../domain/performance-profile/api.ts";
import { featureGateKind } from "../../domain/performance-profile/mixed-cpus-allowed.ts";
import { infrastructureKind, partitioningConfigMap } from "../../domain/workload-partitioning/identifier.ts";
import type { AdmissionHandler } from "./handler.ts";
import { performanceProfileConversion } from "./performance-profile-handler.ts";
import { configurationName } from "./registration.ts";

export const webhookServiceAccount = "attune-webhook";
export const webhookSecret = "attune-webhook-tls";

/** What the webhook registers: it may change these objects, which `attune install` creates, and no others. */
export interface Registered {
  readonly admission: readonly AdmissionHandler["type"][];
  /** CRDs whose conversion webhook it is. */
  readonly definitions: readonly string[];
}

export interface WebhookRights {
  /** Where the webhook runs. */
  readonly namespace: string;
  readonly registered?: Registered | undefined;
  /** Whether the cluster may have machine configuration. Default true. */
  readonly machineConfiguration?: boolean | undefined;
  /** Whether it may have OpenShift's configuration. Default true. */
  readonly openShift?: boolean | undefined;
}

const attune: Registered = {
  admission: ["mutating", "validating"],
  definitions: [performanceProfileConversion.definition],
};
const known = ["list", "watch"];
function definitions(...of: readonly Pick<KindRef, "apiVersion" | "plural">[]): Grant {
  return {
    because: "which of these kinds the cluster has; they may be installed later",
    apiGroups: ["apiextensions.k8s.io"],
    resources: ["customresourcedefinitions"],
    resourceNames: of.map(definitionName),
    verbs: known,
  };
}

/** All rights of the webhook. */
export function webhookGrants({
  namespace,
  registered = attune,
  machineConfiguration: hasPools = true,
  openShift = true,
}: WebhookRights): Grant[] {
  return [
    {
      because: "registers itself; attune install creates the object",
      apiGroups: ["admissionregistration.k8s.io"],
      resources: registered.admission.map((type) => `${type}webhookconfigurations`),
      resourceNames: [configurationName],
      verbs: [...known, "patch"],
    },
    {
      because: "sets the conversion webhook of these CRDs",
      apiGroups: ["apiextensions.k8s.io"],
      resources: ["customresourcedefinitions"],
      resourceNames: registered.definitions,
      verbs: [...known, "patch"],
    },
    definitions(tunedKind, profileKind, performanceProfileKind),
    {
      because:
        "which workloads a namespace allows on reserved and shared CPUs; one that is not cached yet is read when a pod is created in it",
      apiGroups: [""],
      resources: ["namespaces"],
      verbs: ["get", ...known],
    },
    {
      because: "records events about refused pods and nodes, in the namespaces of the pods; a repeated one is counted",
      apiGroups: [""],
      resources: ["events"],
      verbs: ["create", "patch"],
    },
    {
      because:
        "checks profiles against the nodes they select; whether nodes of a cluster with a single node are partitioned",
      apiGroups: [""],
      resources: ["nodes"],
      verbs: known,
    },
    {
      because: "two profiles must not select the same nodes",
      apiGroups: [performance],
      resources: ["performanceprofiles"],
      verbs: known,
    },
    ...(hasPools ? ofMachineConfiguration : []),
    ...(openShift ? ofOpenShift : []),
    {
      within: tuningNamespace,
      because: "agents report the hardware of nodes there",
      apiGroups: [nodeTuning],
      resources: ["profiles"],
      verbs: known,
    },
    {
      within: tuningNamespace,
      because: "a Tuned may use profiles of others: a warning on apply says which do not exist",
      apiGroups: [nodeTuning],
      resources: ["tuneds"],
      verbs: ["list", "watch"],
    },
    {
      within: partitioningConfigMap.namespace,
      because: "whether the cluster is partitioned, where it has no Infrastructure",
      apiGroups: [""],
      resources: ["configmaps"],
      resourceNames: [partitioningConfigMap.name],
      verbs: known,
    },
    {
      within: namespace,
      because: "its own keys; attune install creates the object",
      apiGroups: [""],
      resources: ["secrets"],
      resourceNames: [webhookSecret],
      verbs: [...known, "update"],
    },
    confinedPodGrant(namespace),
  ];
}

const ofMachineConfiguration: readonly Grant[] = [
  definitions(machineConfigPoolKind, machineConfigKind),
  {
    because: "profiles belong to pools; MachineConfigs may hold files that also partition CPUs",
    apiGroups: [machineConfiguration],
    resources: ["machineconfigpools", "machineconfigs"],
    verbs: known,
  },
];

const ofOpenShift: readonly Grant[] = [
  definitions(infrastructureKind, featureGateKind),
  {
    because: "whether CPU partitioning and mixed CPUs are enabled",
    apiGroups: ["config.openshift.io"],
    resources: ["infrastructures", "featuregates"],
    resourceNames: ["cluster"],
    verbs: known,
  },
];

/** The account with its rights, and the empty objects that it fills: it may create none itself. */
export function webhookRbac(rights: WebhookRights): KubeObject[] {
  const { namespace, registered = attune } = rights;
  const labels = { "app.kubernetes.io/part-of": "attune" };
  return [
    ...registered.admission.map((type) => ({
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: type === "mutating" ? "MutatingWebhookConfiguration" : "ValidatingWebhookConfiguration",
      metadata: { name: configurationName, labels },
    })),
    { apiVersion: "v1", kind: "Secret", metadata: { name: webhookSecret, namespace, labels } },
    ...rbacObjects("attune:webhook", { namespace, name: webhookServiceAccount }, webhookGrants(rights)),
  ];
}
