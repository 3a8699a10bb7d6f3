import { parseTime } from "../../language/object/time.ts";
import type { MachineConfig, MachineConfigPool } from "../machine-config/api.ts";
import { ownAnnotations, updateOf } from "./node-annotations.ts";
import { poolOfRendering } from "../machine-config/rendered-annotations.ts";
import type { RolloutNode } from "./rollout-node.ts";

/** Caches may lag: what was just made may be in use already. */
const youngMs = 10 * 60_000;

export interface UnusedInput {
  /** Whose renderings are judged. */
  readonly pool: string;
  readonly machineConfigs: readonly MachineConfig[];
  readonly pools: readonly MachineConfigPool[];
  readonly nodes: readonly RolloutNode[];
  /** RFC 3339. */
  readonly now: string;
}

export interface UnusedRenderings {
  readonly old: readonly MachineConfig[];
  /** Until the next one is old enough. Absent: all unused ones are. */
  readonly againInMs?: number | undefined;
}

/** Renderings that no pool, no node and no boot entry of a node refers to. */
export function unusedRenderings({ pool, machineConfigs, pools, nodes, now }: UnusedInput): UnusedRenderings {
  const made = machineConfigs.filter((config) => poolOfRendering(config) === pool);
  // The one that the pool has, and no other: the usual case costs nothing.
  if (made.length < 2) return { old: [] };
  const used = new Set<string | undefined>();
  for (const { spec, status } of pools) used.add(spec?.configuration?.name).add(status?.configuration?.name);
  for (const { metadata } of nodes) {
    const { current, desired } = updateOf(metadata);
    // The boot entry before the last update belongs to the config before it.
    used.add(current).add(desired).add(metadata.annotations?.[ownAnnotations.previousConfig]);
  }
  const unused = made.filter(({ metadata: { name, deletionTimestamp } }) => !used.has(name) && !deletionTimestamp);
  const ageOf = ({ metadata }: MachineConfig): number =>
    (parseTime(now) ?? 0) - (parseTime(metadata.creationTimestamp ?? "") ?? Infinity);
  const old = unused.filter((config) => ageOf(config) >= youngMs);
  if (old.length === unused.length) return { old };
  const oldest = Math.max(...unused.filter((config) => !old.includes(config)).map(ageOf));
  // A clock that was set back must not put it off.
  return { old, againInMs: youngMs - Math.max(oldest, 0) };
}
