import type { Informer } from "../../cluster/kube/cache.ts";
import { createInformer } from "../../cluster/kube/informer/informer.ts";
import { untilCurrent } from "../../cluster/kube/informer/until-current.ts";
import { kinds } from "../../cluster/kube/kinds.ts";
import { source } from "../../cluster/runtime/controller/controller.ts";
import type { Manager } from "../../cluster/runtime/controller/manager.ts";
import { EventRecorder } from "../../cluster/runtime/event/event-recorder.ts";
import { noMetrics } from "../../cluster/runtime/metrics/metrics.ts";
import type { ControlPlane } from "../../domain/hosted/control-plane-controller.ts";
import { isOrder } from "../../domain/hosted/handover/pool-order.ts";
import { nodePoolOf } from "../../domain/hosted/protocol.ts";
import { IntactRenderings } from "../../domain/hosted/rollout/intact-renderings.ts";
import { LatestPasses } from "../../domain/hosted/rollout/latest-passes.ts";
import { OrderAuthority } from "../../domain/hosted/rollout/order-authority-controller.ts";
import { orderedPoolController } from "../../domain/hosted/rollout/ordered-pool-controller.ts";
import { renderPool } from "../../domain/machine-config/render-pool.ts";
import type { BootDecision, LatestBootDecision } from "../../domain/node-tuning/boot/boot-decision.ts";
import { drainController } from "../../domain/rollout/drain/drain-controller.ts";
import { NodeWriter } from "../../domain/rollout/node-writer-controller.ts";
import { rolloutController } from "../../domain/rollout/rollout-controller.ts";
import type { RolloutNode } from "../../domain/rollout/rollout-node.ts";
import type { ControlPlanePlace, HostedParts } from "./hosted-parts.ts";
import { rolloutCaches, untilAllCurrent } from "./rollout.ts";
import { rolloutMetrics } from "./rollout-metrics.ts";
import { sha256 } from "./sha256.ts";

export interface HostedRolloutParts extends ControlPlane {
  /** `client` for caches, which every replica keeps. */
  readonly place: ControlPlanePlace;
  readonly hosted: HostedParts["hosted"];
  readonly refused: HostedParts["refused"];
  /** The NodePool that a node belongs to; empty: none. */
  readonly poolOf: (node: Pick<RolloutNode, "metadata">) => string;
  readonly boot: LatestBootDecision;
  readonly version: string;
}

/** Boot arguments are part of an order: there is nothing to wait for. */
const nothingAwaited: BootDecision = { tuneds: [], poolsOf: new Map(), pools: [], orphaned: [] };

/** Brings the orders of the management side to the nodes of the hosted cluster. */
export function addHostedRollout(manager: Manager, parts: HostedRolloutParts): void {
  const { place, hosted, namespace, configMaps, version, clock, log, metrics } = parts;
  const intact = new IntactRenderings(sha256);
  const caches = rolloutCaches(manager, { client: hosted.client, clock }, (config) => intact.project(config));
  const passes = new LatestPasses();
  const authority = new OrderAuthority({
    ...parts,
    decided: (order, pass) => passes.set(order, pass),
  });
  const allCurrent = async (signal: AbortSignal): Promise<void> => {
    const fresh = (): Informer => createInformer(place.client, kinds.configMap, { namespace, clock });
    await Promise.all([
      untilAllCurrent(caches, { client: hosted.client, clock, signal }),
      untilCurrent(configMaps, { fresh, clock, signal }),
    ]);
  };
  const writer = new NodeWriter(hosted.writer, caches.nodes);
  const recorder = new EventRecorder({ client: hosted.writer, component: "attune-operator", clock, log });
  manager.add(recorder);
  const common = { client: hosted.writer, writer, clock, log, metrics, recorder };
  manager.add(
    rolloutController({
      ...common,
      caches,
      authority,
      render: (pool, machineConfigs, current) => renderPool({ pool, machineConfigs, current, version, digest: sha256 }),
      awaited: () => ({ boot: nothingAwaited, kubeletConfigs: [] }),
      awaitedSources: [source(configMaps, ({ object }) => (isOrder(object) ? [nodePoolOf(object)] : []))],
      untilCurrent: allCurrent,
    }),
  );
  manager.add(
    drainController({
      ...common,
      nodes: caches.nodes,
      timeoutMs: (node) => authority.order(parts.poolOf(node))?.drainTimeoutMs,
    }),
  );
  manager.add(rolloutMetrics(metrics ?? noMetrics, caches));
  manager.add(
    orderedPoolController({
      ...parts,
      ...caches,
      hosted: hosted.writer,
      isIntact: (rendered) => intact.isIntact(rendered),
      authority,
      passes,
      untilCurrent: allCurrent,
    }),
  );
}
