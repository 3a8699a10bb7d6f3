import type { Informer } from "../../cluster/kube/cache.ts";
import type { Client } from "../../cluster/kube/client.ts";
import { createInformer, informerOfOne } from "../../cluster/kube/informer/informer.ts";
import { kinds } from "../../cluster/kube/kinds.ts";
import { routedClient } from "../../cluster/kube/routed-client.ts";
import type { Manager } from "../../cluster/runtime/controller/manager.ts";
import { type ControlPlane, configMapKind } from "../../domain/hosted/control-plane-controller.ts";
import { envelopedProfiles } from "../../domain/hosted/profiles/enveloped-profiles-controller.ts";
import { orphanedRuntimeClassController } from "../../domain/hosted/profiles/orphaned-runtime-class-controller.ts";
import { type HostedProtocol } from "../../domain/hosted/protocol.ts";
import { machineConfigPoolKind } from "../../domain/machine-config/api.ts";
import { profileKind } from "../../domain/node-tuning/api.ts";
import type { LatestBootDecision } from "../../domain/node-tuning/boot/boot-decision.ts";
import type { NodeTuningCaches } from "../../domain/node-tuning/node-tuning-controller.ts";
import { runtimeClassKind } from "../../domain/performance-profile/api.ts";
import { featureGateKind } from "../../domain/performance-profile/mixed-cpus-allowed.ts";
import { performanceProfileController } from "../../domain/performance-profile/performance-profile-controller.ts";
import { projectNode, projectProfile } from "../../domain/performance-profile/projections.ts";
import { infrastructureKind } from "../../domain/workload-partitioning/identifier.ts";
import type { KindRef, KubeObject } from "../../language/object/meta.ts";
import type { PlannedEvent } from "../../language/object/plan.ts";
import type { ClusterFeatures } from "./cluster-features.ts";
import { sourceOfBootDecisions } from "./rollout.ts";

export interface HostedProfilesInput {
  readonly controlPlane: ControlPlane;
  /** The NodePool of a Node of node tuning. */
  readonly poolOf: (node: Pick<KubeObject, "metadata">) => string;
  /** Of the hosted cluster. */
  readonly hosted: { readonly client: Client; readonly writer: Client };
  readonly features: ClusterFeatures;
  readonly caches: NodeTuningCaches;
  /** Of Profiles of node tuning. */
  readonly namespace: string;
  readonly boot: LatestBootDecision;
  readonly protocol: HostedProtocol;
  /** Of the management cluster. */
  readonly recorder: { record(event: PlannedEvent): void };
}

/** Adds the controllers of PerformanceProfiles that come in ConfigMaps of the control plane namespace. */
export function addHostedProfiles(manager: Manager, input: HostedProfilesInput): void {
  const { controlPlane, poolOf, hosted, features, caches, namespace, boot, protocol, recorder } = input;
  const { client: management, configMaps, clock, log, metrics } = controlPlane;
  const { client } = hosted;
  const singleton = (kind: KindRef, isServed = false): Informer | undefined =>
    isServed
      ? manager.informer(kind, { fieldSelector: "cluster" }, () =>
          informerOfOne(client, kind, { name: "cluster", clock }),
        )
      : undefined;
  const runtimeClasses = manager.informer(runtimeClassKind, {}, () =>
    createInformer(client, runtimeClassKind, { clock }),
  );
  const places = envelopedProfiles({
    client: management,
    configMaps,
    namespace: controlPlane.namespace,
    protocol,
    runtimeClasses,
    nodes: manager.informer(kinds.node, { view: "hardware" }, () =>
      createInformer<KubeObject>(client, kinds.node, { project: projectNode, clock }),
    ),
    hardware: manager.informer(profileKind, { namespace, view: "hardware" }, () =>
      createInformer<KubeObject>(client, profileKind, { namespace, project: projectProfile, clock }),
    ),
    nodeProfiles: caches.profiles,
    pools: features.machineConfigPools
      ? manager.informer(machineConfigPoolKind, {}, () => createInformer(client, machineConfigPoolKind, { clock }))
      : undefined,
    infrastructures: singleton(infrastructureKind, features.infrastructures),
    featureGates: singleton(featureGateKind, features.featureGates),
    poolOf: (node) => poolOf(caches.nodes.get(node.metadata.name ?? "") ?? node),
    boot: () => boot.current,
    bootSource: (keys) => sourceOfBootDecisions(boot, keys),
    now: () => clock.now(),
  });
  const both = routedClient(hosted.writer, new Map([[configMapKind.kind, management]]));
  manager.add(performanceProfileController({ client: both, ...places, clock, log, metrics, recorder }));
  manager.add(
    orphanedRuntimeClassController({ client: hosted.writer, runtimeClasses, configMaps, clock, log, metrics }),
  );
}
