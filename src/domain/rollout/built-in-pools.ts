import { apiVersion, group, type MachineConfigPool, roleLabel } from "../machine-config/api.ts";

export const builtInPools: readonly string[] = ["master", "worker"];

/** As the machine config operator creates them. Custom pools inherit from worker by selecting its role too. */
export function builtInPool(name: string): MachineConfigPool {
  return {
    apiVersion,
    kind: "MachineConfigPool",
    metadata: {
      name,
      labels: { [`${group}/mco-built-in`]: "", [`pools.operator.${group}/${name}`]: "" },
    },
    spec: {
      machineConfigSelector: { matchLabels: { [roleLabel]: name } },
      nodeSelector: { matchLabels: { [`node-role.kubernetes.io/${name}`]: "" } },
      paused: false,
    },
  };
}

/** The labels by which a custom pool selects its nodes. */
export function customPoolLabels(pool: MachineConfigPool | undefined): Readonly<Record<string, string>> | undefined {
  return pool && !builtInPools.includes(pool.metadata.name ?? "") ? pool.spec?.nodeSelector?.matchLabels : undefined;
}
