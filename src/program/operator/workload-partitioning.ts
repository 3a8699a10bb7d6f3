import type { Informer } from "../../cluster/kube/cache.ts";
import type { Client } from "../../cluster/kube/client.ts";
import { createInformer, informerOfOne } from "../../cluster/kube/informer/informer.ts";
import { kinds } from "../../cluster/kube/kinds.ts";
import type { Clock } from "../../cluster/runtime/clock.ts";
import type { Manager } from "../../cluster/runtime/controller/manager.ts";
import type { Log } from "../../cluster/runtime/log/log.ts";
import { type Metrics, noMetrics } from "../../cluster/runtime/metrics/metrics.ts";
import { machineConfigKind, machineConfigPoolKind } from "../../domain/machine-config/api.ts";
import { projectPinning } from "../../domain/workload-partitioning/decide-defaults.ts";
import { infrastructureKind, partitioningConfigMap } from "../../domain/workload-partitioning/identifier.ts";
import { partitioningController } from "../../domain/workload-partitioning/partitioning-controller.ts";
import { unreviewedReport } from "../../domain/workload-partitioning/unreviewed-controller.ts";
import type { KubeObject } from "../../language/object/meta.ts";
import type { PlannedEvent } from "../../language/object/plan.ts";
import type { ClusterFeatures } from "./cluster-features.ts";

export interface PartitioningParts {
  readonly client: Client;
  /** Of the leader. */
  readonly writer: Client;
  readonly features: ClusterFeatures;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics?: Metrics | undefined;
  readonly recorder: { record(event: PlannedEvent): void };
}

/** The object that says whether the cluster is partitioned, as `partitioningStatus` reads it: at most one. */
export function partitioningIdentifier(
  manager: Manager,
  { client, features, clock }: Pick<PartitioningParts, "client" | "features" | "clock">,
): Informer {
  if (features.infrastructures)
    return manager.informer(infrastructureKind, { fieldSelector: "cluster" }, () =>
      informerOfOne(client, infrastructureKind, { name: "cluster", clock }),
    );
  const { namespace, name } = partitioningConfigMap;
  return manager.informer<KubeObject>(kinds.configMap, { namespace, fieldSelector: name }, () =>
    informerOfOne<KubeObject>(client, kinds.configMap, { namespace, name, clock }),
  );
}

/** Keeps the MachineConfigs with which every node of a partitioned cluster has pinning files, and reports pods and nodes that no webhook reviewed. */
export function addWorkloadPartitioning(manager: Manager, parts: PartitioningParts): void {
  const { client, writer, features: _, ...rest } = parts;
  const { clock, recorder, metrics = noMetrics } = parts;
  const identifier = partitioningIdentifier(manager, parts);
  manager.add(unreviewedReport({ client, identifier, recorder, clock, metrics }));
  manager.add(
    partitioningController({
      ...rest,
      client: writer,
      identifier,
      pools: manager.informer(machineConfigPoolKind, {}, () =>
        createInformer(client, machineConfigPoolKind, { clock }),
      ),
      machineConfigs: manager.informer(machineConfigKind, { view: "pinning" }, () =>
        createInformer(client, machineConfigKind, { clock, project: projectPinning }),
      ),
    }),
  );
}
