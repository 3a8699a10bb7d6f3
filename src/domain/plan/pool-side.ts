import { carriedOut } from "./settle.ts";
import type { ContainerRuntimeConfig, KubeletConfig, MachineConfig, MachineConfigPool } from "../machine-config/api.ts";
import { generatedRuntime } from "../machine-config/container-runtime-config/runtime-config-kind.ts";
import type { Digest } from "../machine-config/content-hash.ts";
import { generatedKubelet } from "../machine-config/kubelet-config/kubelet-config-kind.ts";
import { decideGenerated } from "../machine-config/pool-configs/decide-generated.ts";
import type { GeneratedKind, PoolConfig } from "../machine-config/pool-configs/generated-kind.ts";
import { type Rendering, renderPool } from "../machine-config/render-pool.ts";
import type { Condition } from "../../language/object/condition.ts";
import type { Plan } from "../../language/object/plan.ts";
import { type Assigned, Members } from "../rollout/members.ts";
import { poolOfRendering } from "../machine-config/rendered-annotations.ts";
import { sourcesToRender } from "../rollout/rendering.ts";
import type { RolloutNode } from "../rollout/rollout-node.ts";

/** Machine configuration on one side of a change. */
export interface PoolSideInput {
  readonly pools: readonly MachineConfigPool[];
  /** Rendered ones included. */
  readonly machineConfigs: readonly MachineConfig[];
  readonly kubeletConfigs: readonly KubeletConfig[];
  readonly containerRuntimeConfigs: readonly ContainerRuntimeConfig[];
  readonly nodes: readonly RolloutNode[];
  /** Of the operator. */
  readonly version: string;
  /** RFC 3339. */
  readonly now: string;
  readonly digest: Digest;
}

export interface RenderedPool {
  readonly pool: MachineConfigPool;
  readonly sources: readonly MachineConfig[];
  /** Undefined: nothing was ever selected for the pool. */
  readonly rendering: Rendering | undefined;
  readonly members: readonly Assigned[];
}

/** What the operator would make of one side of a change. */
export interface PoolSide {
  /** By name. */
  readonly pools: ReadonlyMap<string, RenderedPool>;
  /** Of a KubeletConfig or ContainerRuntimeConfig. */
  conditionsOf(kind: string, name: string): readonly Condition[];
}

export function poolSide(input: PoolSideInput): PoolSide {
  const kubelet = generatedOf(generatedKubelet, input.machineConfigs, input.kubeletConfigs, input);
  const runtime = generatedOf(generatedRuntime, kubelet.machineConfigs, input.containerRuntimeConfigs, input);
  const statuses = [...kubelet.plan.statuses, ...runtime.plan.statuses];
  return {
    pools: renderedPools(input, runtime.machineConfigs),
    conditionsOf(kind, name) {
      const found = statuses.find(({ of }) => of.kind === kind && of.metadata.name === name);
      return (found?.status as PoolConfig["status"])?.conditions ?? [];
    },
  };
}

/** Every pool as the operator would render it. */
function renderedPools(
  { pools, nodes, version, digest }: PoolSideInput,
  all: readonly MachineConfig[],
): ReadonlyMap<string, RenderedPool> {
  const members = new Members();
  members.use(pools);
  const byName = new Map(all.map((config) => [config.metadata.name ?? "", config]));
  const users = all.filter((config) => poolOfRendering(config) === undefined);
  return new Map(
    pools.map((pool) => {
      const { name = "" } = pool.metadata;
      const sources = users.filter(({ metadata }) => members.selecting(metadata.labels ?? {}).includes(name));
      const machineConfigs = sourcesToRender(pool, sources);
      const current = byName.get(pool.spec?.configuration?.name ?? "");
      const rendering = machineConfigs && renderPool({ pool, machineConfigs, current, version, digest });
      return [name, { pool, sources, rendering, members: members.of(name, nodes) }];
    }),
  );
}

/** The name of the config that a pool's nodes should have. */
export function targetOf(pool: RenderedPool | undefined): string | undefined {
  return pool?.rendering?.type === "rendered" ? pool.rendering.config.metadata.name : undefined;
}

/** What the operator writes for the objects of a kind, and the MachineConfigs once it has. */
function generatedOf<T extends PoolConfig>(
  kind: GeneratedKind<T>,
  machineConfigs: readonly MachineConfig[],
  objects: readonly T[],
  { pools, version, now }: PoolSideInput,
): { readonly plan: Plan; readonly machineConfigs: readonly MachineConfig[] } {
  const { plan } = decideGenerated(kind, { pools, objects, machineConfigs, version, now });
  return { plan, machineConfigs: [...carriedOut(plan, "MachineConfig", machineConfigs).values()] };
}
