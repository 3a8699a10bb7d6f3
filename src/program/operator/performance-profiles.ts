import type { Client } from "../../cluster/kube/client.ts";
import { createInformer, informerOfOne } from "../../cluster/kube/informer/informer.ts";
import { kinds } from "../../cluster/kube/kinds.ts";
import type { Source } from "../../cluster/runtime/controller/controller.ts";
import type { Clock } from "../../cluster/runtime/clock.ts";
import type { Manager } from "../../cluster/runtime/controller/manager.ts";
import type { Runnable } from "../../cluster/runtime/controller/runnable-group.ts";
import type { Log } from "../../cluster/runtime/log/log.ts";
import type { Metrics } from "../../cluster/runtime/metrics/metrics.ts";
import { generatedKubelet } from "../../domain/machine-config/kubelet-config/kubelet-config-kind.ts";
import { profileKind, tuningNamespace } from "../../domain/node-tuning/api.ts";
import type { LatestBootDecision } from "../../domain/node-tuning/boot/boot-decision.ts";
import type { NodeTuningCaches } from "../../domain/node-tuning/node-tuning-controller.ts";
import { performanceProfileKind, runtimeClassKind } from "../../domain/performance-profile/api.ts";
import { apiObjects } from "../../domain/performance-profile/api-objects-controller.ts";
import { featureGateKind } from "../../domain/performance-profile/mixed-cpus-allowed.ts";
import { performanceProfileController } from "../../domain/performance-profile/performance-profile-controller.ts";
import { projectNode, projectProfile } from "../../domain/performance-profile/projections.ts";
import { resumeController } from "../../domain/performance-profile/other-operator/resume-controller.ts";
import type { KubeObject } from "../../language/object/meta.ts";
import type { PlannedEvent } from "../../language/object/plan.ts";
import { type ClusterFeatures, rollsOut } from "./cluster-features.ts";
import { performanceProfileMetrics } from "./performance-profile-metrics.ts";
import { poolConfigs, sourceOfBootDecisions } from "./rollout.ts";
import { partitioningIdentifier } from "./workload-partitioning.ts";

export interface PerformanceProfilesInput {
  readonly manager: Manager;
  readonly client: Client;
  /** Writes while this process leads. */
  readonly writer: Client;
  readonly caches: NodeTuningCaches;
  /** What node tuning decides about boot arguments. */
  readonly boot: LatestBootDecision;
  readonly features: ClusterFeatures;
  readonly recorder: { record(event: PlannedEvent): void };
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics?: Metrics | undefined;
}

/** The controller of PerformanceProfiles with its informers. Those that node tuning has too are shared. */
export function performanceProfiles(input: PerformanceProfilesInput): Runnable {
  const { manager, client, writer, caches, boot, features, recorder, clock, log, metrics } = input;
  const namespace = tuningNamespace;
  // Both are needed: a kubelet that is not configured gives no pod the isolated CPUs.
  const hasPools = features.machineConfigPools && features.kubeletConfigs;
  /*
   * Not among the informers of the manager: profiles in an older version cannot be listed while the webhook, which converts
   * them, is down, and node tuning must not wait for it.
   */
  const profiles = createInformer(client, performanceProfileKind, { clock });
  const isHeld = hasPools && !rollsOut(features);
  const kubeletConfigs = hasPools ? poolConfigs(manager, generatedKubelet, input) : undefined;
  const places = apiObjects({
    client: writer,
    profiles,
    tuneds: caches.tuneds,
    ...(hasPools
      ? {
          pools: caches.pools,
          machineConfigs: caches.machineConfigs,
          kubeletConfigs,
          runtimeClasses: manager.informer(runtimeClassKind, {}, () =>
            createInformer(client, runtimeClassKind, { clock }),
          ),
        }
      : {}),
    nodes: manager.informer(kinds.node, { view: "hardware" }, () =>
      createInformer<KubeObject>(client, kinds.node, { project: projectNode, clock }),
    ),
    hardware: manager.informer(profileKind, { namespace, view: "hardware" }, () =>
      createInformer<KubeObject>(client, profileKind, { namespace, project: projectProfile, clock }),
    ),
    nodeProfiles: caches.profiles,
    identifier: partitioningIdentifier(manager, { client, features, clock }),
    featureGates: features.featureGates
      ? manager.informer(featureGateKind, { fieldSelector: "cluster" }, () =>
          informerOfOne(client, featureGateKind, { name: "cluster", clock }),
        )
      : undefined,
    ...(isHeld
      ? {
          hold: () => ({ boot: boot.current, machineConfigs: caches.machineConfigs?.list() ?? [], now: clock.now() }),
          holdSources: [sourceOfBootDecisions(boot, () => profiles.list().map(({ metadata }) => metadata.name ?? ""))],
        }
      : {}),
  });
  const common = { client: writer, clock, log, metrics, recorder };
  const controller = performanceProfileController({ ...common, ...places });
  const { pools, machineConfigs } = caches;
  if (isHeld && pools && machineConfigs && kubeletConfigs) {
    const bootSource = (keys: () => readonly string[]): Source<string> => sourceOfBootDecisions(boot, keys);
    manager.add(resumeController({ ...common, pools, machineConfigs, kubeletConfigs, boot, bootSource }));
  }
  return {
    name: "PerformanceProfiles",
    async run(signal) {
      const forget = metrics && performanceProfileMetrics(metrics, profiles);
      await Promise.all([profiles.run(signal), controller.run(signal)]);
      forget?.();
    },
  };
}
