import { FileDecoder } from "../../language/ignition/file-decoder.ts";
import { matchesLabels } from "../../language/object/label-selector.ts";
import type { KubeObject } from "../../language/object/meta.ts";
import { type MachineConfig, type MachineConfigPool, roleLabel } from "../machine-config/api.ts";
import type { PoolConfig } from "../machine-config/pool-configs/generated-kind.ts";
import { poolSelector } from "../machine-config/pool-configs/target-pools.ts";
import { Pools } from "../machine-config/pools.ts";
import { readSource } from "../machine-config/read-source.ts";
import type { NodeTuningInput } from "../node-tuning/decide.ts";
import type { ObjectFinding } from "../finding.ts";
import { describeProblem } from "../rollout/rendering.ts";
import { plannedObject, type PlannedWrite } from "./change-plan.ts";
import type { BootChange } from "./boot-changes.ts";
import type { PlannedRemoval } from "./removals.ts";
import type { ChangedObject } from "./pool-change.ts";
import type { RenderedPool } from "./pool-side.ts";

/** The changed objects that reach each pool, or did before: written ones, and MachineConfigs with boot arguments. */
export function objectsByPool(
  {
    writes,
    removals,
    boot,
  }: {
    readonly writes: readonly PlannedWrite[];
    readonly removals: readonly PlannedRemoval[];
    readonly boot: readonly BootChange[];
  },
  pools: readonly MachineConfigPool[],
): (pool: string) => readonly ChangedObject[] {
  const byPool = new Map<string, ChangedObject[]>();
  const add = (object: ChangedObject, selecting: readonly string[]): void => {
    for (const pool of selecting) byPool.set(pool, [...(byPool.get(pool) ?? []), object]);
  };
  for (const write of writes) {
    const { kind, name, change } = plannedObject(write);
    const both = [write.after, ...(write.before ? [write.before] : [])];
    if (change !== "none") add({ kind, name, change }, [...new Set(both.flatMap((one) => reachedBy(one, pools)))]);
  }
  for (const { object } of removals)
    add({ kind: object.kind, name: object.metadata.name ?? "", change: "delete" }, reachedBy(object, pools));
  for (const { machineConfig: name, before, after, pools: selecting } of boot)
    add({ kind: "MachineConfig", name, change: after ? (before ? "change" : "create") : "delete" }, selecting);
  return (pool) => byPool.get(pool) ?? [];
}

/** What keeps pools from being rendered, or a written MachineConfig from being used by any pool. */
export function refusedConfigurations(
  writes: readonly PlannedWrite[],
  before: ReadonlyMap<string, RenderedPool>,
  after: ReadonlyMap<string, RenderedPool>,
): ObjectFinding[] {
  const stopped = new Map<string, { readonly about: string; readonly text: string; readonly pools: string[] }>();
  const add = (about: string, text: string, pools: readonly string[]): void => {
    const key = `${about}\n${text}`;
    const known = stopped.get(key) ?? { about, text, pools: [] };
    known.pools.push(...pools);
    stopped.set(key, known);
  };
  for (const [name, { rendering }] of after) {
    if (rendering?.type !== "refused") continue;
    const old = before.get(name)?.rendering;
    const known = new Set(old?.type === "refused" ? old.problems.map(describeProblem) : []);
    for (const problem of rendering.problems)
      if (!known.has(describeProblem(problem)))
        add(`${problem.object.kind} ${problem.object.name}`, `${problem.field}: ${problem.message}`, [name]);
  }
  for (const { after: object, ...write } of writes) {
    if (object.kind !== "MachineConfig" || plannedObject({ after: object, ...write }).change === "none") continue;
    const read = readSource((object as MachineConfig).spec ?? {}, new FileDecoder());
    if (read.type === "source") continue;
    for (const { field, message } of read.problems)
      add(`MachineConfig ${object.metadata.name ?? ""}`, `${field}: ${message}`, []);
  }
  return Array.from(stopped.values(), ({ about, text, pools }): ObjectFinding => ({
    severity: "error",
    about,
    message: `${text}${pools.length > 0 ? `; no node of ${pools.join(", ")} changes until it is corrected` : ""}`,
  }));
}

/** The MachineConfigs that change, by the nodes that restart with them. */
export function restartsWith(
  writes: readonly PlannedWrite[],
  { nodes, pools = [] }: NodeTuningInput,
): ReadonlyMap<string, readonly MachineConfig[]> {
  const byNode = new Map<string, MachineConfig[]>();
  const all = new Pools(pools);
  for (const write of writes) {
    if (write.after.kind !== "MachineConfig" || plannedObject(write).change === "none") continue;
    const selecting = poolsOf(write.after, pools);
    for (const { metadata } of nodes) {
      // Not for MachineConfigs of other pools that the node is in.
      const [primary = ""] = all.ofNode(metadata.labels ?? {});
      const { name = "" } = metadata;
      if (selecting.includes(primary)) byNode.set(name, [...(byNode.get(name) ?? []), write.after]);
    }
  }
  return byNode;
}

/** Also the pools that take the MachineConfig which is generated for a selected one: custom pools have all that worker has. */
function reachedBy(object: KubeObject, pools: readonly MachineConfigPool[]): readonly string[] {
  const selected = poolsOf(object, pools);
  if (object.kind !== "KubeletConfig" && object.kind !== "ContainerRuntimeConfig") return selected;
  const all = new Pools(pools);
  return [...new Set([...selected, ...selected.flatMap((pool) => all.selecting({ [roleLabel]: pool }))])];
}

/** The pools that an object selects, or that select it. */
export function poolsOf(object: KubeObject, pools: readonly MachineConfigPool[]): readonly string[] {
  switch (object.kind) {
    case "MachineConfigPool":
      return [object.metadata.name ?? ""];
    case "MachineConfig":
      return new Pools(pools).selecting(object.metadata.labels ?? {});
    case "KubeletConfig":
    case "ContainerRuntimeConfig": {
      const chosen = poolSelector((object as PoolConfig).spec?.machineConfigPoolSelector);
      if (chosen.type === "invalid") return [];
      return pools
        .filter(({ metadata }) => matchesLabels(chosen.selector, metadata.labels ?? {}))
        .map(({ metadata }) => metadata.name ?? "");
    }
    default:
      return [];
  }
}
