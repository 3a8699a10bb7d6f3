import { fromLabelSelector, matchesLabels, SelectorError } from "../../language/object/label-selector.ts";
import type { KubeletConfig, MachineConfig } from "../machine-config/api.ts";
import type { NodeTuningInput } from "../node-tuning/decide.ts";
import { Pools } from "../machine-config/pools.ts";
import { restartsOf } from "./boot-changes.ts";
import { type ConfigurationChange, plannedObject, type PlannedWrite } from "./change-plan.ts";

/** Written MachineConfigs and KubeletConfigs, as `attune render` writes them, and the nodes that restart for them. */
export function writtenConfigurations(
  writes: readonly PlannedWrite[],
  { nodes, pools = [] }: NodeTuningInput,
): ConfigurationChange[] {
  const byPools = new Map<string, ConfigurationChange>();
  for (const write of writes) {
    const selected = poolsOf(write, pools);
    const { kind, name, change } = plannedObject(write);
    if (!selected || change === "none") continue;
    const key = selected.join("\n");
    const known = byPools.get(key)?.objects ?? [];
    const objects = [...known, { kind, name, change }];
    byPools.set(key, { objects, ...restartsOf(selected, { nodes, pools }) });
  }
  return [...byPools.values()];
}

/** The MachineConfigs that change, by the nodes that restart with them. */
export function restartsWith(
  writes: readonly PlannedWrite[],
  { nodes, pools = [] }: NodeTuningInput,
): ReadonlyMap<string, readonly MachineConfig[]> {
  const byNode = new Map<string, MachineConfig[]>();
  for (const write of writes) {
    if (write.after.kind !== "MachineConfig" || plannedObject(write).change === "none") continue;
    for (const node of restartsOf(poolsOf(write, pools) ?? [], { nodes, pools }).restarts)
      byNode.set(node, [...(byNode.get(node) ?? []), write.after]);
  }
  return byNode;
}

function poolsOf({ after }: PlannedWrite, pools: NonNullable<NodeTuningInput["pools"]>): readonly string[] | undefined {
  if (after.kind === "MachineConfig") return new Pools(pools).selecting(after.metadata.labels ?? {});
  if (after.kind !== "KubeletConfig") return undefined;
  try {
    const selector = fromLabelSelector((after as KubeletConfig).spec?.machineConfigPoolSelector);
    return pools
      .filter(({ metadata }) => matchesLabels(selector, metadata.labels ?? {}))
      .map(({ metadata }) => metadata.name ?? "");
  } catch (error) {
    // An invalid selector selects no pool.
    if (error instanceof SelectorError) return [];
    throw error;
  }
}
