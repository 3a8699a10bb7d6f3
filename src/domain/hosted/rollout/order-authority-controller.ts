import type { MachineConfigPool } from "../../machine-config/api.ts";
import type { PoolAuthority, PoolPass, PoolSources } from "../../rollout/pool-authority.ts";
import type { RolloutNode } from "../../rollout/rollout-node.ts";
import { type ControlPlane, writeConfigMaps } from "../control-plane-controller.ts";
import { orderConfigMap, type PoolOrder, readOrder } from "../handover/pool-order.ts";
import type { Read } from "../handover/strict-json.ts";
import { keys } from "../protocol.ts";
import { orderedSources, trustedPool } from "./ordered-pool.ts";
import { readReleased, releasedConfigMap, writeReleased } from "./released-rendering.ts";

export interface OrderAuthorityOptions extends ControlPlane {
  /** Of the operator. */
  readonly version: string;
  /** The NodePool that a node belongs to; empty: none. Its label is not asked. */
  readonly poolOf: (node: RolloutNode) => string;
  readonly decided: (order: PoolOrder, pass: PoolPass) => void;
}

interface Known {
  readonly resourceVersion: string | undefined;
  readonly read: Read<PoolOrder>;
  sources?: PoolSources | undefined;
}

/** Decides about the pools of a hosted cluster by the orders of the management side. */
export class OrderAuthority implements PoolAuthority {
  readonly #options: OrderAuthorityOptions;
  readonly #known = new Map<string, Known>();
  /** The order of the pass that is under way: a pool has one at a time. */
  readonly #passing = new Map<string, PoolOrder>();
  /** Written, and perhaps not in the cache yet. */
  readonly #released = new Map<string, string>();
  readonly #nodes = new WeakMap<RolloutNode, { readonly pool: string; readonly node: RolloutNode }>();

  constructor(options: OrderAuthorityOptions) {
    this.#options = options;
  }

  /** Of a NodePool whose nodes are updated in place. */
  order(nodePool: string): PoolOrder | undefined {
    const read = this.#knownOf(nodePool)?.read;
    return read?.type === "read" && read.value.upgradeType === "InPlace" ? read.value : undefined;
  }

  pool(observed: MachineConfigPool): MachineConfigPool | undefined {
    const { name = "" } = observed.metadata;
    const order = this.order(name);
    return order && trustedPool(order, observed, this.released(name));
  }

  node(observed: RolloutNode): RolloutNode {
    const pool = this.#options.poolOf(observed);
    const known = this.#nodes.get(observed);
    if (known?.pool === pool) return known.node;
    const { [keys.nodePool]: claimed = "", ...labels } = observed.metadata.labels ?? {};
    const trusted = pool === "" ? labels : { ...labels, [keys.nodePool]: pool };
    const node = claimed === pool ? observed : { ...observed, metadata: { ...observed.metadata, labels: trusted } };
    this.#nodes.set(observed, { pool, node });
    return node;
  }

  sources({ metadata: { name = "" } }: MachineConfigPool): PoolSources {
    const known = this.#knownOf(name);
    const order = this.order(name);
    if (!known || !order) return { sources: [], problems: [] };
    this.#passing.set(name, order);
    known.sources ??= orderedSources(order, this.#options.version);
    return known.sources;
  }

  async releasing(
    { metadata: { name = "" } }: MachineConfigPool,
    rendering: string,
    signal: AbortSignal,
  ): Promise<void> {
    if (this.released(name) === rendering) return;
    const { configMaps, namespace, log } = this.#options;
    const order = configMaps.get(`${namespace}/${orderConfigMap(name)}`);
    if (!order) throw new Error(`release rendering ${rendering} of NodePool ${name}: its order is gone`);
    const writes = { wanted: [writeReleased(rendering, order)], orphaned: [] };
    const because = "nodes are told this rendering";
    const { requeue } = await writeConfigMaps(writes, this.#options, { signal, log, because });
    if (requeue) throw new Error(`release rendering ${rendering} of NodePool ${name}: another client wrote its note`);
    this.#released.set(name, rendering);
  }

  decided(pass: PoolPass): void {
    const order = this.#passing.get(pass.pool.metadata.name ?? "");
    if (order) this.#options.decided(order, pass);
  }

  /** The rendered config that nodes were last told. */
  released(nodePool: string): string | undefined {
    const { configMaps, namespace } = this.#options;
    const found = configMaps.get(`${namespace}/${releasedConfigMap(nodePool)}`);
    return this.#released.get(nodePool) ?? (found && readReleased(found));
  }

  /** A NodePool of the same name begins anew. */
  forget(nodePool: string): void {
    this.#released.delete(nodePool);
    this.#known.delete(nodePool);
    this.#passing.delete(nodePool);
  }

  #knownOf(nodePool: string): Known | undefined {
    const { configMaps, namespace } = this.#options;
    const configMap = configMaps.get(`${namespace}/${orderConfigMap(nodePool)}`);
    if (!configMap) return undefined;
    const { resourceVersion } = configMap.metadata;
    const known = this.#known.get(nodePool);
    if (known?.resourceVersion === resourceVersion) return known;
    const read = readOrder(configMap);
    const before = known?.read.type === "read" ? known.read.value : undefined;
    const isSame =
      read.type === "read" && before?.payload === read.value.payload && before.target.full === read.value.target.full;
    // Order of a pause or of another budget: what was rendered stays.
    const next = { resourceVersion, read, ...(isSame ? { sources: known?.sources } : {}) };
    this.#known.set(nodePool, next);
    return next;
  }
}
