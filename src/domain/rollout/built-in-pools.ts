import { apiVersion, group, type MachineConfigPool, roleLabel } from "../machine-config/api.ts";

export const builtInPools: readonly string[] = ["master", "worker"];

/** Where nodes without a role belong, once they have its label. */
export const fallbackPool = "worker";

/**
 * As the machine config operator creates them, but for the label of the control plane: kubeadm sets no other, and OpenShift sets
 * it too. A PerformanceProfile for nodes with that label makes MachineConfigs of that role.
 * Workers need their label here as well: RuntimeClasses select nodes by it.
 */
export function builtInPool(name: string): MachineConfigPool {
  const isMaster = name === "master";
  const roles = isMaster ? [name, "control-plane"] : [name];
  return {
    apiVersion,
    kind: "MachineConfigPool",
    metadata: {
      name,
      labels: { [`${group}/mco-built-in`]: "", [`pools.operator.${group}/${name}`]: "" },
    },
    spec: {
      machineConfigSelector: isMaster
        ? { matchExpressions: [{ key: roleLabel, operator: "In", values: roles }] }
        : { matchLabels: { [roleLabel]: name } },
      nodeSelector: { matchLabels: { [`node-role.kubernetes.io/${roles.at(-1)}`]: "" } },
      paused: false,
    },
  };
}

/** The labels by which a custom pool selects its nodes. */
export function customPoolLabels(pool: MachineConfigPool | undefined): Readonly<Record<string, string>> | undefined {
  return pool && !builtInPools.includes(pool.metadata.name ?? "") ? pool.spec?.nodeSelector?.matchLabels : undefined;
}
