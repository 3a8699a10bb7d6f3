import type { Client } from "../../cluster/kube/client.ts";
import { createInformer } from "../../cluster/kube/informer/informer.ts";
import type { Clock } from "../../cluster/runtime/clock.ts";
import type { Manager } from "../../cluster/runtime/controller/manager.ts";
import type { Log } from "../../cluster/runtime/log/log.ts";
import type { Metrics } from "../../cluster/runtime/metrics/metrics.ts";
import type { NodeTuningCaches } from "../../domain/node-tuning/node-tuning-controller.ts";
import { nodeKind } from "../../domain/rollout/node-writer-controller.ts";
import { projectStartupNode, startupTaintController } from "../../domain/rollout/startup/startup-taint-controller.ts";
import type { ClusterFeatures } from "./cluster-features.ts";

export interface StartupTaintParts {
  readonly client: Client;
  /** Of the leader. */
  readonly writer: Client;
  readonly caches: Pick<NodeTuningCaches, "profiles" | "tuneds">;
  readonly namespace: string;
  readonly features: ClusterFeatures;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics?: Metrics | undefined;
}

/**
 * The taint of nodes that are not tuned, where Attune rolls out no pools. Where a machine config operator does, nodes with
 * PerformanceProfiles have a unit that tunes them: there only what an operator in another mode has left is removed.
 */
export function addStartupTaint(manager: Manager, parts: StartupTaintParts): void {
  const { client, writer, caches, namespace, features, ...rest } = parts;
  const nodes = manager.informer(nodeKind, { view: "startup" }, () =>
    createInformer(client, nodeKind, { clock: parts.clock, project: projectStartupNode }),
  );
  const agents = features.machineConfigPools ? undefined : { namespace, ...caches };
  manager.add(startupTaintController({ ...rest, client: writer, nodes, agents }));
}
