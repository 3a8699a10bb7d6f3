import type { MachineConfig, MachineConfigPool } from "../machine-config/api.ts";
import { equal } from "../../language/object/json.ts";
import { isGenerated } from "../node-tuning/api.ts";
import type { NodeFacts } from "../node-tuning/node-profile.ts";
import { Pools } from "../machine-config/pools.ts";
import type { Settled } from "./settle.ts";

/** Boot arguments that change, and the nodes that restart for it. */
export interface BootChange extends Restarts {
  readonly machineConfig: string;
  /** Absent: there is no MachineConfig. */
  readonly before?: readonly string[];
  readonly after?: readonly string[];
}

/** What a change of the configuration of pools means for their nodes. */
export interface Restarts {
  readonly pools: readonly string[];
  /** Names of nodes. */
  readonly restarts: readonly string[];
  /** Pools that are paused: their nodes restart once they no longer are. */
  readonly paused: readonly string[];
}

export interface PoolState {
  readonly nodes: readonly NodeFacts[];
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
        ...restartsOf(pools.selecting((fresh ?? old)?.metadata.labels ?? {}), state),
      },
    ];
  });
}

/** A node restarts for MachineConfigs of the pool that configures it, not for those of other pools it is in. */
export function restartsOf(selected: readonly string[], { nodes, pools }: Omit<PoolState, "machineConfigs">): Restarts {
  const all = new Pools(pools);
  const isSelected = ({ metadata }: NodeFacts): boolean => {
    const [primary] = all.ofNode(metadata.labels ?? {});
    return primary !== undefined && selected.includes(primary);
  };
  return {
    pools: selected,
    restarts: nodes.filter(isSelected).map(({ metadata }) => metadata.name ?? ""),
    paused: pools
      .filter(({ metadata, spec }) => spec?.paused === true && selected.includes(metadata.name ?? ""))
      .map(({ metadata }) => metadata.name ?? ""),
  };
}

function argumentsOf(machineConfig: MachineConfig | undefined): readonly string[] {
  return machineConfig?.spec?.kernelArguments ?? [];
}
