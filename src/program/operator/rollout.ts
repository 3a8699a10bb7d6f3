import type { Informer } from "../../cluster/kube/cache.ts";
import { createInformer } from "../../cluster/kube/informer/informer.ts";
import { untilCurrent } from "../../cluster/kube/informer/until-current.ts";
import type { Clock } from "../../cluster/runtime/clock.ts";
import type { Manager } from "../../cluster/runtime/controller/manager.ts";
import type { Client, KindRef } from "../../cluster/kube/client.ts";
import type { KubeObject } from "../../language/object/meta.ts";
import type { EventRecorder } from "../../cluster/runtime/event/event-recorder.ts";
import type { Log } from "../../cluster/runtime/log/log.ts";
import { type Metrics, noMetrics } from "../../cluster/runtime/metrics/metrics.ts";
import { source, type Source } from "../../cluster/runtime/controller/controller.ts";
import { type MachineConfig, machineConfigKind, machineConfigPoolKind } from "../../domain/machine-config/api.ts";
import { generatedRuntime } from "../../domain/machine-config/container-runtime-config/runtime-config-kind.ts";
import { generatedKubelet } from "../../domain/machine-config/kubelet-config/kubelet-config-kind.ts";
import type { GeneratedKind, PoolConfig } from "../../domain/machine-config/pool-configs/generated-kind.ts";
import { poolConfigController } from "../../domain/machine-config/pool-configs/pool-config-controller.ts";
import { renderPool } from "../../domain/machine-config/render-pool.ts";
import { drainController } from "../../domain/rollout/drain/drain-controller.ts";
import { nodeKind, NodeWriter } from "../../domain/rollout/node-writer-controller.ts";
import type { LatestBootDecision } from "../../domain/node-tuning/boot/boot-decision.ts";
import type { BarrierInput } from "../../domain/rollout/barrier.ts";
import { poolOfRendering } from "../../domain/machine-config/rendered-annotations.ts";
import type { Render } from "../../domain/rollout/rendering.ts";
import { type RolloutCaches, rolloutController } from "../../domain/rollout/rollout-controller.ts";
import { projectRolloutNode } from "../../domain/rollout/rollout-node.ts";
import type { ClusterFeatures } from "./cluster-features.ts";
import { addFirstBoot, type FirstBootOptions } from "./first-boot/first-boot.ts";
import { rolloutMetrics } from "./rollout-metrics.ts";
import { sha256 } from "./sha256.ts";

export interface RolloutParts {
  /** For caches, which every replica keeps. */
  readonly client: Client;
  /** Of the leader. */
  readonly writer: Client;
  /** What node tuning decides about boot arguments. */
  readonly boot: LatestBootDecision;
  readonly features: ClusterFeatures;
  readonly version: string;
  readonly nodeName?: string | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics?: Metrics | undefined;
  readonly recorder: EventRecorder;
  /** Serve configs to machines before they are nodes. Default: not. */
  readonly firstBoot?: FirstBootOptions | undefined;
}

/** Renders pools and rolls them out, in clusters where no machine config operator does. */
export function addRollout(manager: Manager, parts: RolloutParts): void {
  const { client, writer, boot, features, version, nodeName: operatorNode, firstBoot, ...rest } = parts;
  const { clock } = parts;
  const caches = rolloutCaches(manager, parts);
  const kubeletConfigs = features.kubeletConfigs ? poolConfigs(manager, generatedKubelet, parts) : undefined;
  const runtimeConfigs = features.containerRuntimeConfigs ? poolConfigs(manager, generatedRuntime, parts) : undefined;
  const allPools = (): string[] => caches.pools.list().map(({ metadata }) => metadata.name ?? "");
  const awaitedSources = [
    sourceOfBootDecisions(boot, allPools),
    ...(kubeletConfigs ? [source(kubeletConfigs, allPools)] : []),
  ];
  const awaited = (): Pick<BarrierInput, "boot" | "kubeletConfigs"> => ({
    boot: boot.current,
    kubeletConfigs: kubeletConfigs?.list() ?? [],
  });
  const render: Render = (pool, machineConfigs, current) =>
    renderPool({ pool, machineConfigs, current, version, digest: sha256 });
  const nodeWriter = new NodeWriter(writer, caches.nodes);
  const common = { client: writer, writer: nodeWriter, ...rest };
  const allCurrent = (signal: AbortSignal): Promise<void> => untilAllCurrent(caches, { client, clock, signal });
  const rollout = { caches, untilCurrent: allCurrent, render, awaited, awaitedSources, operatorNode };
  manager.add(rolloutController({ ...common, ...rollout }));
  manager.add(drainController({ ...common, nodes: caches.nodes }));
  manager.add(rolloutMetrics(parts.metrics ?? noMetrics, caches));
  const more = { ...rest, ...caches, client: writer, version };
  if (kubeletConfigs) manager.add(poolConfigController({ ...more, kind: generatedKubelet, objects: kubeletConfigs }));
  if (runtimeConfigs) manager.add(poolConfigController({ ...more, kind: generatedRuntime, objects: runtimeConfigs }));
  if (firstBoot) addFirstBoot(manager, firstBoot, { client, writer, nodeWriter, caches, ...rest });
}

/** The objects of a kind of which MachineConfigs are made. */
export function poolConfigs<T extends PoolConfig>(
  manager: Manager,
  { kind }: GeneratedKind<T>,
  { client, clock }: Pick<RolloutParts, "client" | "clock">,
): Informer<T> {
  return manager.informer(kind, { view: "pool-configs" }, () => createInformer(client, kind, { clock }));
}

/** A new decision about boot arguments concerns these keys. */
export function sourceOfBootDecisions(boot: LatestBootDecision, keys: () => readonly string[]): Source<string> {
  return {
    whenSynced: () => Promise.resolve(),
    subscribe: (add) => boot.subscribe(() => keys().forEach(add)),
  };
}

/** The informers of rollouts. */
export function rolloutCaches(
  manager: Manager,
  { client, clock }: Pick<RolloutParts, "client" | "clock">,
  project = withoutRendered,
): RolloutCaches {
  return {
    pools: manager.informer(machineConfigPoolKind, {}, () => createInformer(client, machineConfigPoolKind, { clock })),
    machineConfigs: manager.informer(machineConfigKind, { view: "sources" }, () =>
      createInformer(client, machineConfigKind, { clock, project }),
    ),
    nodes: manager.informer(nodeKind, { view: "rollout" }, () =>
      createInformer(client, nodeKind, { clock, project: projectRolloutNode }),
    ),
  };
}

export async function untilAllCurrent(
  { pools, machineConfigs, nodes }: RolloutCaches,
  { client, clock, signal }: { readonly client: Client; readonly clock: Clock; readonly signal: AbortSignal },
): Promise<void> {
  const wait = (cache: Informer, kind: KindRef): Promise<void> =>
    untilCurrent(cache, { fresh: () => createInformer(client, kind, { clock, project: identityOf }), clock, signal });
  await Promise.all([
    wait(pools, machineConfigPoolKind),
    wait(machineConfigs, machineConfigKind),
    wait(nodes, nodeKind),
  ]);
}

function identityOf({ apiVersion, kind, metadata: { name, uid, resourceVersion } }: KubeObject): KubeObject {
  return { apiVersion, kind, metadata: { name, uid, resourceVersion } };
}

/** A rendered config is found by its name; its content may be large. */
function withoutRendered(config: MachineConfig): MachineConfig {
  return poolOfRendering(config) === undefined ? config : { ...config, spec: {} };
}
