import type { MachineConfigPool } from "../machine-config/api.ts";
import { Pools } from "../machine-config/pools.ts";
import type { NearbyNodes } from "./nearby-nodes.ts";
import { isBehind, judgeNode, type NodeState } from "./node-state.ts";
import type { RolloutNode } from "./rollout-node.ts";

/** A node, judged, and the pools that it counts in: one, or all custom pools that select it where these are several. */
export interface Assigned {
  readonly state: NodeState;
  readonly pools: readonly string[];
  /** The custom pools, where these are several. */
  readonly conflict: readonly string[];
  /** All pools whose selectors match, also those that others come before. */
  readonly selectedBy: readonly string[];
  /** A master that a custom pool selects too, which then does not configure it. */
  readonly isMasterInCustomPool: boolean;
}

/** Which nodes each pool has. Judges a node once for each version of it: an event costs one node, not all of them. */
export class Members {
  #pools = new Pools([]);
  #selectors = "";
  #assigned = new WeakMap<RolloutNode, Assigned>();

  /** To be called when pools may have changed. */
  use(pools: readonly MachineConfigPool[]): void {
    const selectors = JSON.stringify(
      pools.map(({ metadata, spec }) => [metadata.name, spec?.nodeSelector, spec?.machineConfigSelector]),
    );
    if (selectors === this.#selectors) return;
    this.#selectors = selectors;
    this.#pools = new Pools(pools);
    this.#assigned = new WeakMap();
  }

  /** Invalid selectors of one pool. */
  problemsOf(pool: string): readonly string[] {
    return this.#pools.problemsOf(pool);
  }

  /** The pools whose nodes get a MachineConfig with these labels. */
  selecting(labels: Readonly<Record<string, string>>): readonly string[] {
    return this.#pools.selecting(labels);
  }

  assign(node: RolloutNode): Assigned {
    let assigned = this.#assigned.get(node);
    if (!assigned) {
      assigned = this.#assign(node);
      this.#assigned.set(node, assigned);
    }
    return assigned;
  }

  of(pool: string, nodes: readonly RolloutNode[]): Assigned[] {
    return nodes.map((node) => this.assign(node)).filter(({ pools }) => pools.includes(pool));
  }

  /** Nodes of a pool that have not been told a config. */
  untold(pool: string, config: string, nodes: readonly RolloutNode[]): RolloutNode[] {
    return this.of(pool, nodes).flatMap(({ state }) => (isBehind(state, config) ? state.node : []));
  }

  near(pool: string, nodes: readonly RolloutNode[]): NearbyNodes {
    const others = nodes.map((node) => this.assign(node)).filter(({ pools }) => !pools.includes(pool));
    const elsewhere = others.filter(({ pools, selectedBy }) => pools.length > 0 && selectedBy.includes(pool));
    const withoutPool = others.filter(({ pools, state }) => pools.length === 0 && !isWindows(state.node));
    return {
      elsewhere: elsewhere.map(({ state, pools }) => ({ node: state.name, pool: pools[0] ?? "" })),
      withoutPool: withoutPool.map(({ state }) => state),
    };
  }

  #assign(node: RolloutNode): Assigned {
    const labels = node.metadata.labels ?? {};
    const state = judgeNode(node);
    if (isWindows(node)) return { state, pools: [], conflict: [], selectedBy: [], isMasterInCustomPool: false };
    const selectedBy = this.#pools.choosing(labels);
    const conflict = this.#pools.conflictOf(labels);
    if (conflict.length > 0) return { state, pools: conflict, conflict, selectedBy, isMasterInCustomPool: false };
    const { pool, isMasterInCustomPool } = this.#pools.configuring(labels);
    return { state, pools: pool === undefined ? [] : [pool], conflict, selectedBy, isMasterInCustomPool };
  }
}

function isWindows({ metadata }: RolloutNode): boolean {
  return metadata.labels?.["kubernetes.io/os"] === "windows";
}
