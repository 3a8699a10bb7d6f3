import type { Informer } from "../../cluster/kube/cache.ts";
import type { Client, KindRef } from "../../cluster/kube/client.ts";
import { kinds } from "../../cluster/kube/kinds.ts";
import { act, type ActResult } from "../../cluster/runtime/act/act.ts";
import type { Clock } from "../../cluster/runtime/clock.ts";
import { Controller, source } from "../../cluster/runtime/controller/controller.ts";
import type { Log } from "../../cluster/runtime/log/log.ts";
import type { Metrics } from "../../cluster/runtime/metrics/metrics.ts";
import type { KubeObject } from "../../language/object/meta.ts";
import { type PlannedEvent, referenceTo } from "../../language/object/plan.ts";
import { type MachineConfig, machineConfigKind, type MachineConfigPool } from "../machine-config/api.ts";
import { isSameSelection } from "../machine-config/pools.ts";
import { poolOfRendering } from "../machine-config/rendered-annotations.ts";
import { decideDefaults } from "./decide-defaults.ts";
import { infrastructureKind, type PartitioningMode, partitioningStatus } from "./identifier.ts";
import { arePartitioned, mayMigrate } from "./migration.ts";

export interface PartitioningOptions {
  readonly client: Client;
  /** At most one object. */
  readonly identifier: Informer;
  readonly pools: Informer<MachineConfigPool>;
  /** As `projectPinning` keeps them. */
  readonly machineConfigs: Informer<MachineConfig>;
  readonly clock: Clock;
  readonly log?: Log | undefined;
  readonly metrics?: Metrics | undefined;
  readonly recorder?: { record(event: PlannedEvent): void } | undefined;
}

const fieldManager = "attune-workload-partitioning";
const partitioned: PartitioningMode = "AllNodes";

/**
 * Keeps the default MachineConfigs of a partitioned cluster. Before, it notes that a single node is partitioned which was so
 * before the identifier could say it. All of it is one decision.
 */
export function partitioningController(options: PartitioningOptions): Controller {
  const { client, identifier, pools, machineConfigs, recorder } = options;
  const all = (): string[] => ["all"];
  return new Controller({
    name: "workload-partitioning",
    clock: options.clock,
    log: options.log,
    metrics: options.metrics,
    sources: [
      source(identifier, all),
      source(pools, (event) => (event.type === "updated" && isSameSelection(event.before, event.object) ? [] : all())),
      source(machineConfigs, ({ object }) => (poolOfRendering(object) === undefined ? all() : [])),
    ],
    async reconcile(_, { signal, log }): Promise<ActResult | undefined> {
      const [found] = identifier.list();
      if (found && mayMigrate(partitioningStatus(found))) {
        const { items } = await client.list(kinds.node, { signal });
        // The event of this write follows, with the mode that the rest is decided by.
        if (arePartitioned(items)) await migrate(found, signal);
        return undefined;
      }
      const plan = decideDefaults({ identifier: found, pools: pools.list(), machineConfigs: machineConfigs.list() });
      return act(plan, {
        client,
        kinds: (): KindRef => machineConfigKind,
        observed: ({ metadata: { name = "" } }): KubeObject | undefined => machineConfigs.get(name),
        fieldManager,
        recorder,
        signal,
        log,
      });
    },
  });

  /** With the version that was read: the mode of an identifier that changed meanwhile is not ours to set. */
  async function migrate(found: KubeObject, signal: AbortSignal): Promise<void> {
    const { name = "", namespace, resourceVersion } = found.metadata;
    const mode = { cpuPartitioning: partitioned };
    const patch = { metadata: { resourceVersion: resourceVersion ?? null } };
    const options = { namespace, fieldManager, signal };
    if (namespace === undefined) {
      const subresource = "status";
      const body = { type: "merge", patch: { ...patch, status: mode } } as const;
      await client.patch(infrastructureKind, name, body, { ...options, subresource });
    } else {
      const body = { type: "merge", patch: { ...patch, data: mode } } as const;
      await client.patch(kinds.configMap, name, body, options);
    }
    recorder?.record({
      regarding: referenceTo(found),
      type: "Normal",
      reason: "PartitioningDetected",
      message: "the kubelet of the single node pins workloads: the cluster now counts as partitioned (AllNodes)",
    });
  }
}
