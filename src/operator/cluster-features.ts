import type { Client } from "../kube/client.ts";
import { Discovery } from "../kube/discovery.ts";
import { apiVersion as machineConfiguration } from "../machine-config/api.ts";

/** What a cluster has beyond what every cluster has. */
export interface ClusterFeatures {
  /** Pools of nodes with one configuration each. */
  readonly machineConfigPools: boolean;
  /** OpenShift's own place for the status of operators. */
  readonly clusterOperators: boolean;
}

export const plain: ClusterFeatures = { machineConfigPools: false, clusterOperators: false };

export async function clusterFeatures(client: Client, signal: AbortSignal): Promise<ClusterFeatures> {
  const discovery = new Discovery(client);
  const has = async (apiVersion: string, kind: string): Promise<boolean> =>
    (await discovery.kind(apiVersion, kind, { signal })) !== undefined;
  const [pool, config, operator] = await Promise.all([
    has(machineConfiguration, "MachineConfigPool"),
    has(machineConfiguration, "MachineConfig"),
    has("config.openshift.io/v1", "ClusterOperator"),
  ]);
  return { machineConfigPools: pool && config, clusterOperators: operator };
}

export function describeFeatures({ machineConfigPools, clusterOperators }: ClusterFeatures): string {
  const yes = (is: boolean): string => (is ? "yes" : "no");
  return `machine config pools: ${yes(machineConfigPools)}, cluster operators: ${yes(clusterOperators)}`;
}
