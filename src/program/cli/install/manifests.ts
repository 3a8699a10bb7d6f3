import { ownNodePolicies } from "../../agent/own-node-policies.ts";
import { agentRbac } from "../../agent/rbac.ts";
import { machineConfigCrds } from "../../../domain/machine-config/crds.ts";
import type { AgentMounts } from "../../../domain/node-tuning/agent-daemon-set.ts";
import { type Protocol, tuningNamespace } from "../../../domain/node-tuning/api.ts";
import { nodeTuningCrds } from "../../../domain/node-tuning/crds.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { namespaceObject } from "../../../language/object/confinement.ts";
import { operatorDeployment, operatorMetricsService, operatorSelector } from "../../operator/deployment.ts";
import { firstBootNamespace } from "../../../domain/rollout/first-boot/invitation.ts";
import { firstBootObjects, firstBootService } from "../../operator/first-boot/objects.ts";
import { scyllaCrds } from "../../../domain/scylla/config/crds.ts";
import { defaultUtilsImage, tuningNamespace as scyllaNamespace } from "../../../domain/scylla/names.ts";
import { scyllaPolicies } from "../../operator/scylla/policies.ts";
import { operatorMonitoring } from "../../operator/monitoring.ts";
import { operatorRbac } from "../../operator/rbac.ts";
import { allowedAnnotation } from "../../../domain/workload-partitioning/names.ts";
import { defaultRelease, type ReleaseName, releases } from "../../../domain/workload-partitioning/release.ts";
import { systemNamespace } from "../../operator/names.ts";
import { performanceProfileCrds } from "../../../domain/performance-profile/crds.ts";
import { nodePoolCrds } from "../../../domain/node-pool/crds.ts";
import { managementDeployment } from "../../management/deployment.ts";
import { managementRbac } from "../../management/rbac.ts";
import { consoleDeployment } from "../../console/deployment.ts";
import { conversionPolicy } from "../../webhook/conversion-policy.ts";
import { webhookDeployment } from "../../webhook/deployment.ts";
import { instructionPolicy } from "../../webhook/partitioning/instruction-policy.ts";
import { registrationPolicies } from "../../webhook/registration-policies.ts";
import { webhookMonitoring } from "../../webhook/monitoring.ts";
import { webhookRbac } from "../../webhook/rbac.ts";
import { type InstalledStatus, partitioningConfigMapOf } from "../../../domain/workload-partitioning/install-config.ts";
import { workloadPartitioningCrds } from "../../../domain/workload-partitioning/crds.ts";
import { partitioningPolicies } from "../../operator/partitioning-policies.ts";
import type { ExecPolicy } from "../../../node/on-node/exec-policy.ts";
import type { OperatorMode } from "../option/shared-flags.ts";
import { defaultImage } from "../../version.ts";

export interface InstallOptions {
  /** Of operator and webhook. Default attune-system. */
  readonly namespace?: string | undefined;
  readonly image?: string | undefined;
  /** `standalone` and `plain` include the CRDs of machine configuration. Default auto. */
  readonly mode?: OperatorMode | undefined;
  /** Of a new cluster that has no Infrastructure. Default: as the cluster is. */
  readonly partitioning?: InstalledStatus | undefined;
  /** Default documented. */
  readonly protocol?: Protocol | undefined;
  /** Whose rules of workload partitioning the webhook follows. Default documented. */
  readonly partitioningRelease?: ReleaseName | undefined;
  /** Which programs that profiles name the agents run. Default allow. */
  readonly agentExec?: ExecPolicy | undefined;
  /** Default follow. */
  readonly agentMounts?: AgentMounts | undefined;
  readonly release?: string | undefined;
  /** Of operator and webhook. Default 2. */
  readonly replicas?: number | undefined;
  /** URL at which new nodes reach the operator for their first boot. Default: it serves none. */
  readonly firstBoot?: string | undefined;
  /** Include what tunes nodes of Scylla databases. Default false. */
  readonly scylla?: boolean | undefined;
  /** With the scripts of Scylla. Default: `defaultUtilsImage`. */
  readonly scyllaUtilsImage?: string | undefined;
  /** Include the console. Default false. */
  readonly console?: boolean | undefined;
  /** Include ServiceMonitor and PrometheusRule. Default false. */
  readonly monitoring?: boolean | undefined;
  /** Whether a service CA issues the certificate for metrics. Default: whether there is a `release`. */
  readonly isOpenShift?: boolean | undefined;
}

/** All manifests of `attune install`, in the order in which they must be applied. */
export function installManifests(options: InstallOptions = {}): KubeObject[] {
  return [...foundation(options), ...workloads(options)];
}

/** All manifests of `attune install --mode hosted`. */
export function managementManifests(options: Omit<InstallOptions, "mode"> = {}): KubeObject[] {
  const { namespace = systemNamespace, image = defaultImage, protocol = "documented", replicas = 2 } = options;
  return [...managementFoundation(namespace), managementDeployment({ namespace, image, protocol, replicas })];
}

/** What the management side of hosted control planes needs. */
export function managementFoundation(namespace = systemNamespace): KubeObject[] {
  return [namespaceObject(namespace, "restricted"), ...nodePoolCrds, ...managementRbac(namespace)];
}

/** What the Deployments need. Policies come before the rights that they limit. */
export function foundation(options: InstallOptions = {}): KubeObject[] {
  const { namespace = systemNamespace, mode = "auto", protocol = "documented" } = options;
  const { isOpenShift = options.release !== undefined, scylla = false } = options;
  const { machineConfiguration, openShift } = kindsOf(mode);
  const firstBoots = servesFirstBoots(options);
  return [
    namespaceObject(namespace, "restricted", isOpenShift ? { "openshift.io/cluster-monitoring": "true" } : {}),
    // Agents write to the file system of their node.
    namespaceObject(
      tuningNamespace,
      "privileged",
      {},
      isOpenShift || mode === "standalone" ? reservedCpusAllowed : undefined,
    ),
    ...(scylla ? [namespaceObject(scyllaNamespace, "privileged")] : []),
    // It takes effect a little after it is written, so it comes before the CRD.
    ...conversionPolicy,
    ...definitions(mode),
    ...(scylla ? [...scyllaCrds, ...scyllaPolicies(namespace)] : []),
    ...ownNodePolicies(tuningNamespace, { protocol, machineConfiguration }),
    ...registrationPolicies(namespace),
    ...(releases[options.partitioningRelease ?? defaultRelease].instructions === "kept" ? instructionPolicy : []),
    // Before the policy that keeps it as it is, and not soon after its namespace: `kubectl delete` keeps this order, and API servers
    // learn a little later that the namespace goes.
    ...(options.partitioning ? [partitioningConfigMapOf(options.partitioning)] : []),
    ...(mode === "tuning" ? [] : partitioningPolicies(namespace, { infrastructures: openShift })),
    ...(firstBoots ? [namespaceObject(firstBootNamespace, "restricted"), ...firstBootObjects()] : []),
    ...operatorRbac(namespace, mode, { firstBoots, scylla }),
    ...agentRbac(tuningNamespace, { protocol, machineConfiguration }),
    ...webhookRbac({ namespace, machineConfiguration, openShift }),
  ];
}

/**
 * Agents run on the reserved CPUs of a partitioned cluster. Not on plain clusters, where the cores of a node are added by its
 * agent: it would wait for them.
 */
const reservedCpusAllowed = { [allowedAnnotation]: "management" };

/** Only an operator that rolls pools out has something to serve. */
function servesFirstBoots({ firstBoot = "", mode = "auto" }: InstallOptions): boolean {
  return firstBoot !== "" && mode !== "tuning";
}

/** The CRDs that Attune installs. Those of machine configuration belong to OpenShift. */
export function definitions(mode: OperatorMode): readonly KubeObject[] {
  return [
    ...nodeTuningCrds,
    ...performanceProfileCrds,
    ...(mode === "standalone" || mode === "plain" ? machineConfigCrds : []),
    // On plain clusters other operators would take the cluster for OpenShift.
    ...(mode === "standalone" ? workloadPartitioningCrds : []),
  ];
}

/** What operator and webhook may use of the cluster in this mode. */
export function kindsOf(mode: OperatorMode): { readonly machineConfiguration: boolean; readonly openShift: boolean } {
  return { machineConfiguration: mode !== "tuning", openShift: mode !== "tuning" && mode !== "plain" };
}

/** The Deployments and their Services. The operator creates the agents itself. */
export function workloads(options: InstallOptions): KubeObject[] {
  const { namespace = systemNamespace, image = defaultImage, mode = "auto", protocol = "documented" } = options;
  const { agentExec, agentMounts, release, replicas = 2, partitioningRelease = defaultRelease } = options;
  const firstBoot = servesFirstBoots(options) ? options.firstBoot : undefined;
  const { monitoring = false, isOpenShift = release !== undefined, scylla = false } = options;
  const scyllaUtilsImage = scylla ? (options.scyllaUtilsImage ?? defaultUtilsImage) : undefined;
  return [
    ...webhookDeployment({ namespace, image, mode, replicas, partitioningRelease, scylla }),
    operatorMetricsService(namespace),
    ...(firstBoot === undefined ? [] : [firstBootService(namespace, operatorSelector)]),
    operatorDeployment({
      namespace,
      image,
      mode,
      protocol,
      agentExec,
      agentMounts,
      release,
      replicas,
      firstBoot,
      scyllaUtilsImage,
    }),
    ...(options.console ? consoleDeployment({ namespace, image, isOpenShift }) : []),
    ...(monitoring ? [...operatorMonitoring(namespace, isOpenShift, scylla), ...webhookMonitoring(namespace)] : []),
  ];
}
