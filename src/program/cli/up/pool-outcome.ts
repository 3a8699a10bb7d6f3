import type { MachineConfigPool } from "../../../domain/machine-config/api.ts";
import type { PerformanceProfile } from "../../../domain/performance-profile/api.ts";
import { poolFor } from "../../../domain/performance-profile/pools.ts";
import { findCondition, isTrue } from "../../../language/object/condition.ts";
import { textTable } from "../terminal/text-table.ts";

/** One pool: how many of its nodes have its config. */
export interface PoolOutcome {
  readonly pool: string;
  readonly nodes: number;
  readonly updated: number;
  /** Name of the rendered config that the nodes have or get. */
  readonly config: string;
  /** Undefined if its nodes have everything that is wanted for them. */
  readonly waitsFor?: string | undefined;
}

/** Without pools that have no nodes: on a cluster of workers, that of the masters. */
export function poolOutcomes(
  pools: readonly MachineConfigPool[],
  profiles: readonly PerformanceProfile[],
): PoolOutcome[] {
  const outcomes = pools.map((pool): PoolOutcome => {
    const { machineCount = 0, updatedMachineCount = 0 } = pool.status ?? {};
    return {
      pool: pool.metadata.name ?? "",
      nodes: machineCount,
      updated: updatedMachineCount,
      config: pool.spec?.configuration?.name ?? "",
      waitsFor: poolWaits(pool) ?? profilesWait(pool, pools, profiles),
    };
  });
  return outcomes.filter(({ nodes, waitsFor }) => nodes > 0 || waitsFor !== undefined);
}

function poolWaits({ metadata, spec, status }: MachineConfigPool): string | undefined {
  const { conditions = [], observedGeneration } = status ?? {};
  if (observedGeneration !== metadata.generation) return "the operator";
  const said = ["Degraded", "RolloutBlocked"].map((type) => findCondition(conditions, type));
  const reason = said.find((condition) => condition?.status === "True")?.message;
  if (reason) return reason;
  if (isTrue(conditions, "Updated")) return undefined;
  return spec?.paused ? "spec.paused to be false" : "its nodes to get the config";
}

/** A pool may have all of its config before the operator has derived more from a profile. */
function profilesWait(
  { metadata }: MachineConfigPool,
  pools: readonly MachineConfigPool[],
  profiles: readonly PerformanceProfile[],
): string | undefined {
  for (const { metadata: own, spec, status } of profiles) {
    const found = poolFor(spec?.nodeSelector ?? {}, pools);
    if (found.type !== "pool" || found.pool.metadata.name !== metadata.name) continue;
    const { conditions = [], observedGeneration } = status ?? {};
    if (observedGeneration === own.generation && isTrue(conditions, "Available")) continue;
    const said = ["Degraded", "Progressing"].map((type) => findCondition(conditions, type));
    const why = said.find((condition) => condition?.status === "True")?.message;
    return `PerformanceProfile ${own.name}${why ? `: ${why}` : ""}`;
  }
  return undefined;
}

/** The name of a config ends with a digest, of which these many digits suffice where the row names the pool. */
const digits = 12;

export function poolTable(outcomes: readonly PoolOutcome[], columns?: number): string {
  return textTable(
    ["POOL", "NODES", "UPDATED", "CONFIG", "WAITS FOR"],
    outcomes.map(({ pool, nodes, updated, config, waitsFor }) => [
      pool,
      String(nodes),
      String(updated),
      config.replace(`rendered-${pool}-`, "").slice(0, digits) || "none",
      waitsFor ?? "nothing",
    ]),
    { columns },
  );
}
