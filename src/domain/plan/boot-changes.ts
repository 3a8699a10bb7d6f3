import type { MachineConfig, MachineConfigPool } from "../machine-config/api.ts";
import { equal } from "../../language/object/json.ts";
import { isGenerated } from "../node-tuning/api.ts";
import { Pools } from "../machine-config/pools.ts";
import type { Settled } from "./settle.ts";

/** Boot arguments that change. */
export interface BootChange {
  readonly machineConfig: string;
  /** Names of the pools that get them. */
  readonly pools: readonly string[];
  /** Absent: there is no MachineConfig. */
  readonly before?: readonly string[];
  readonly after?: readonly string[];
}

export interface PoolState {
  readonly pools: readonly MachineConfigPool[];
  /** As they are now. */
  readonly machineConfigs: readonly MachineConfig[];
}

/** Differences that the change makes: what the operator would do without it does not count. */
export function bootChanges(before: Settled, after: Settled, state: PoolState): BootChange[] {
  const names = [...new Set([...before.machineConfigs.keys(), ...after.machineConfigs.keys()])].toSorted();
  const now = new Map(state.machineConfigs.map((object) => [object.metadata.name ?? "", object]));
  const pools = new Pools(state.pools);
  return names.flatMap((name) => {
    const old = before.machineConfigs.get(name);
    const fresh = after.machineConfigs.get(name);
    if (!isGenerated((old ?? fresh)?.metadata ?? {}) || equal(argumentsOf(old), argumentsOf(fresh))) return [];
    // Arguments resolved without the node may hold unexpanded functions: those in force are exact.
    const inForce = now.get(name);
    if (equal(argumentsOf(inForce), argumentsOf(fresh))) return [];
    return [
      {
        machineConfig: name,
        ...(inForce ? { before: argumentsOf(inForce) } : {}),
        ...(fresh ? { after: argumentsOf(fresh) } : {}),
        pools: pools.selecting((fresh ?? old)?.metadata.labels ?? {}),
      },
    ];
  });
}

function argumentsOf(machineConfig: MachineConfig | undefined): readonly string[] {
  return machineConfig?.spec?.kernelArguments ?? [];
}
