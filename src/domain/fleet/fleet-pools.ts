import { findCondition } from "../../language/object/condition.ts";
import { equal } from "../../language/object/json.ts";
import type { MachineConfigPool } from "../machine-config/api.ts";
import { isSameSelection, Pools } from "../machine-config/pools.ts";

/** What a row needs of the pools of its cluster. */
export interface FleetPools {
  readonly selection: Pools;
  readonly byName: ReadonlyMap<string, MachineConfigPool>;
}

export function fleetPools(pools: readonly MachineConfigPool[]): FleetPools {
  return {
    selection: new Pools(pools),
    byName: new Map(pools.map((pool) => [pool.metadata.name ?? "", pool])),
  };
}

/** Whether an update of a pool left all rows as they are. Most updates are counts in its status. */
export function isSameForRows(a: MachineConfigPool, b: MachineConfigPool): boolean {
  const partsOf = ({ spec, status }: MachineConfigPool): unknown => {
    const blocked = findCondition(status?.conditions, "RolloutBlocked");
    return [spec?.configuration?.name ?? "", spec?.paused === true, blocked?.status ?? "", blocked?.message ?? ""];
  };
  return isSameSelection(a, b) && equal(partsOf(a), partsOf(b));
}
