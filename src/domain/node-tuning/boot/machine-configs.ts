import { apiVersion, type MachineConfig } from "../../machine-config/api.ts";
import { generatedAnnotation, isGenerated } from "../api.ts";
import type { PoolArguments } from "./boot-arguments.ts";
import type { Pools } from "../../machine-config/pools.ts";
import type { Rule } from "../rule.ts";

export const machineConfigName = (pool: string): string => `50-nto-${pool}`;

/** The MachineConfig of a pool whose nodes agree; none if they want no arguments and none exists. */
export function poolMachineConfig(
  { pool, rule, outcome }: PoolArguments,
  observed: MachineConfig | undefined,
  version: string,
): MachineConfig | undefined {
  if (outcome.type !== "agreed") return undefined;
  const kernelArguments = [...outcome.arguments];
  // Creating it would restart every node of the pool for nothing.
  if (kernelArguments.length === 0 && !observed) return undefined;
  return {
    apiVersion,
    kind: "MachineConfig",
    metadata: {
      name: machineConfigName(pool),
      labels: { ...rule.recommend.machineConfigLabels },
      // The version that created it: an upgrade of the operator alone must not change the configuration of nodes.
      annotations: { [generatedAnnotation]: observed?.metadata.annotations?.[generatedAnnotation] ?? version },
    },
    // With an empty list the object stays: it is deleted with the rule, by the user.
    spec: { ...emptyFields(observed?.spec ?? {}), ...(kernelArguments.length > 0 ? { kernelArguments } : {}) },
  };
}

/** Clients in Go write empty fields too. Dropping them would change the MachineConfig, and restart nodes, for nothing. */
function emptyFields(spec: NonNullable<MachineConfig["spec"]>): NonNullable<MachineConfig["spec"]> {
  const isEmpty = (value: unknown): boolean =>
    value === null || value === "" || value === false || (Array.isArray(value) && value.length === 0);
  return Object.fromEntries(Object.entries(spec).filter(([, value]) => isEmpty(value)));
}

/** Our MachineConfigs that no rule refers to any more, chosen or not. */
export function orphaned(
  machineConfigs: readonly MachineConfig[],
  rules: readonly Rule[],
  pools: Pools,
): MachineConfig[] {
  const kept = new Set(
    rules.flatMap(({ recommend: { machineConfigLabels } }) => {
      const [first] = machineConfigLabels ? pools.selecting(machineConfigLabels) : [];
      return first === undefined ? [] : [machineConfigName(first)];
    }),
  );
  return machineConfigs.filter(({ metadata }) => isGenerated(metadata) && !kept.has(metadata.name ?? ""));
}
