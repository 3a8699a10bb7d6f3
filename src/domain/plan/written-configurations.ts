import { fromLabelSelector, matchesLabels, SelectorError } from "../../language/object/label-selector.ts";
import { FileDecoder } from "../../language/ignition/file-decoder.ts";
import type { FieldError } from "../../language/schema/field-error.ts";
import type { ObjectFinding } from "../finding.ts";
import { readSource } from "../machine-config/read-source.ts";
import type { ContainerRuntimeConfig, KubeletConfig, MachineConfig } from "../machine-config/api.ts";
import type { NodeTuningInput } from "../node-tuning/decide.ts";
import { Pools } from "../machine-config/pools.ts";
import { restartsOf } from "./boot-changes.ts";
import { type ConfigurationChange, plannedObject, type PlannedWrite } from "./change-plan.ts";

/** Written objects of machine configuration, as `attune render` writes them, and the nodes that restart for them. */
export function writtenConfigurations(
  writes: readonly PlannedWrite[],
  { nodes, pools = [] }: NodeTuningInput,
): ConfigurationChange[] {
  const byPools = new Map<string, ConfigurationChange>();
  const stopped = new Set(refused(writes).flatMap(({ write }) => poolsOf(write, pools) ?? []));
  for (const write of writes) {
    const selected = poolsOf(write, pools);
    const { kind, name, change } = plannedObject(write);
    if (!selected || change === "none") continue;
    const key = selected.join("\n");
    const known = byPools.get(key)?.objects ?? [];
    const objects = [...known, { kind, name, change }];
    const rendered = selected.filter((pool) => !stopped.has(pool));
    byPools.set(key, { objects, ...restartsOf(rendered, { nodes, pools }), pools: selected });
  }
  return [...byPools.values()];
}

/** What keeps the pools that select a written MachineConfig from being rendered. */
export function refusedConfigurations(
  writes: readonly PlannedWrite[],
  { pools = [] }: NodeTuningInput,
): ObjectFinding[] {
  return refused(writes).flatMap(({ write, problems }) => {
    const stopped = poolsOf(write, pools) ?? [];
    const effect = stopped.length > 0 ? `; no node of ${stopped.join(", ")} changes until it is corrected` : "";
    return problems.map(({ field, message }): ObjectFinding => ({
      severity: "error",
      about: `MachineConfig ${write.after.metadata.name ?? ""}`,
      message: `${field}: ${message}${effect}`,
    }));
  });
}

function refused(writes: readonly PlannedWrite[]): { write: PlannedWrite; problems: readonly FieldError[] }[] {
  return writes.flatMap((write) => {
    if (write.after.kind !== "MachineConfig" || plannedObject(write).change === "none") return [];
    const read = readSource((write.after as MachineConfig).spec ?? {}, new FileDecoder());
    return read.type === "source" ? [] : [{ write, problems: read.problems }];
  });
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
  if (after.kind !== "KubeletConfig" && after.kind !== "ContainerRuntimeConfig") return undefined;
  try {
    const selector = fromLabelSelector(
      (after as KubeletConfig | ContainerRuntimeConfig).spec?.machineConfigPoolSelector,
    );
    return pools
      .filter(({ metadata }) => matchesLabels(selector, metadata.labels ?? {}))
      .map(({ metadata }) => metadata.name ?? "");
  } catch (error) {
    // An invalid selector selects no pool.
    if (error instanceof SelectorError) return [];
    throw error;
  }
}
