import { apiVersion, type MachineConfig } from "../../machine-config/api.ts";
import { generatedAnnotation } from "../api.ts";
import type { PoolArguments } from "./boot-arguments.ts";
import type { Pools } from "../pools.ts";
import type { Rule } from "../rule.ts";

export const machineConfigName = (pool: string): string => `50-nto-${pool}`;

/** The MachineConfig of a pool that has agreed; none where there is nothing to say and never was. */
export function poolMachineConfig(
  { pool, rule, outcome }: PoolArguments,
  observed: MachineConfig | undefined,
  version: string,
): MachineConfig | undefined {
  if (outcome.type !== "agreed") return undefined;
  const kernelArguments = [...outcome.arguments];
  // Making it would restart every node of the pool for nothing.
  if (kernelArguments.length === 0 && !observed) return undefined;
  return {
    apiVersion,
    kind: "MachineConfig",
    metadata: {
      name: machineConfigName(pool),
      labels: { ...rule.recommend.machineConfigLabels },
      // Who made it first, not who runs now: an upgrade by itself changes no machine's configuration.
      annotations: { [generatedAnnotation]: observed?.metadata.annotations?.[generatedAnnotation] ?? version },
    },
    // A list that became empty stays an object: taking it away is the user's to do, with the rule.
    spec: { ...sayingNothing(observed?.spec ?? {}), ...(kernelArguments.length > 0 ? { kernelArguments } : {}) },
  };
}

/** Clients in Go write every field of a kind. Taking those away that say nothing would be a change for nothing. */
function sayingNothing(spec: NonNullable<MachineConfig["spec"]>): NonNullable<MachineConfig["spec"]> {
  const isEmpty = (value: unknown): boolean =>
    value === null || value === "" || value === false || (Array.isArray(value) && value.length === 0);
  return Object.fromEntries(Object.entries(spec).filter(([, value]) => isEmpty(value)));
}

/** Those of ours that no rule speaks of any more, whether it wins anywhere or not. */
export function forsaken(
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
  return machineConfigs.filter(({ metadata }) => isOurs(metadata) && !kept.has(metadata.name ?? ""));
}

function isOurs({ annotations }: MachineConfig["metadata"]): boolean {
  return annotations !== undefined && Object.hasOwn(annotations, generatedAnnotation);
}
