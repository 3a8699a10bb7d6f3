import type { MachineConfig, MachineConfigPool } from "../machine-config/api.ts";
import type { RenderProblem } from "../machine-config/culprit.ts";
import type { Rendering } from "../machine-config/render-pool.ts";
import type { PoolDecision } from "./decide-pool.ts";
import type { RolloutNode } from "./rollout-node.ts";

/** Decides about pools of a cluster whose users may write to them, and must not decide. */
export interface PoolAuthority {
  /** The pool as it should be. Undefined: it is of another owner, and configures no node. */
  pool(observed: MachineConfigPool): MachineConfigPool | undefined;
  /** The node with the labels that count. The same result for the same node, as long as they do. */
  node(observed: RolloutNode): RolloutNode;
  /** What a pool is rendered of. With problems nothing is. */
  sources(pool: MachineConfigPool): PoolSources;
  /** Notes the target of a pool before nodes are told: after a crash it must not change back. */
  releasing(pool: MachineConfigPool, rendering: string, signal: AbortSignal): Promise<void>;
  /** After each pass. */
  decided(pass: PoolPass): void;
}

export interface PoolSources {
  readonly sources: readonly MachineConfig[];
  readonly problems: readonly RenderProblem[];
}

/** One pass over a pool that was carried out. */
export interface PoolPass {
  readonly pool: MachineConfigPool;
  readonly rendering: Rendering | undefined;
  readonly decision: PoolDecision;
}
