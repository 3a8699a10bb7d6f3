import type { Client } from "../../cluster/kube/client.ts";
import { Discovery } from "../../cluster/kube/discovery.ts";
import { apiVersion as machineConfiguration } from "../../domain/machine-config/api.ts";
import { apiVersion as performance } from "../../domain/performance-profile/api.ts";
import { equal } from "../../language/object/json.ts";
import { type Clock, pause } from "../../cluster/runtime/clock.ts";
import { type Log, noLog } from "../../cluster/runtime/log/log.ts";

/** Optional kinds that the cluster serves. */
export interface ClusterFeatures {
  /** MachineConfigPools and MachineConfigs. */
  readonly machineConfigPools: boolean;
  /** OpenShift's ClusterOperators, for the status of the operator. */
  readonly clusterOperators: boolean;
  /** PerformanceProfiles, whose status the operator writes. */
  readonly performanceProfiles?: boolean;
}

/** None of them. */
export const plain: ClusterFeatures = { machineConfigPools: false, clusterOperators: false };

export async function clusterFeatures(client: Client, signal: AbortSignal): Promise<ClusterFeatures> {
  const discovery = new Discovery(client);
  const has = async (apiVersion: string, kind: string): Promise<boolean> =>
    (await discovery.kind(apiVersion, kind, { signal })) !== undefined;
  const [pool, config, operator, performanceProfiles] = await Promise.all([
    has(machineConfiguration, "MachineConfigPool"),
    has(machineConfiguration, "MachineConfig"),
    has("config.openshift.io/v1", "ClusterOperator"),
    has(performance, "PerformanceProfile"),
  ]);
  return { machineConfigPools: pool && config, clusterOperators: operator, performanceProfiles };
}

/** How often discovery is asked. Kinds appear only when something is installed. */
const discoveryIntervalMs = 30_000;

/** Resolves when the features have changed, or the signal aborts. */
export async function featuresChanged(
  client: Client,
  before: ClusterFeatures,
  { signal, clock, log = noLog }: { signal: AbortSignal; clock: Clock; log?: Log | undefined },
): Promise<void> {
  while (!signal.aborted) {
    await pause(clock, discoveryIntervalMs, signal);
    if (signal.aborted) return;
    try {
      const now = await clusterFeatures(client, signal);
      if (!equal(now, before)) return;
    } catch (error) {
      if (!signal.aborted) log.debug({ error }, "discovery failed");
    }
  }
}

export function describeFeatures({ machineConfigPools, clusterOperators }: ClusterFeatures): string {
  const yes = (is: boolean): string => (is ? "yes" : "no");
  return `machine config pools: ${yes(machineConfigPools)}, cluster operators: ${yes(clusterOperators)}`;
}
