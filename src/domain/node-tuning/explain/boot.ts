import type { MachineConfig } from "../../machine-config/api.ts";
import type { Protocol } from "../api.ts";
import { type ChosenNode, poolArguments, reportOf } from "../boot/boot-arguments.ts";
import { bootConditions } from "../boot/boot-conditions.ts";
import { machineConfigName } from "../boot/machine-configs.ts";
import type { Pools } from "../pools.ts";

/** What a node's profile wants of its boot loader, and how far that got. */
export interface BootExplanation {
  readonly wanted: readonly string[];
  /** What the node itself said, as one line. */
  readonly reported?: string;
  readonly pool?: string;
  readonly machineConfig?: { readonly name: string; readonly kernelArguments: readonly string[] };
  /** Whether machines get what is wanted. */
  readonly reached: boolean;
  readonly because: string;
}

export interface BootInput {
  readonly wanted: readonly string[];
  readonly node: ChosenNode;
  /** All of the cluster: pools agree or not. */
  readonly chosen: readonly ChosenNode[];
  readonly pools: Pools;
  readonly machineConfigs: readonly MachineConfig[];
  readonly protocol: Protocol;
}

/** Nothing where nothing is wanted and nothing ever was. */
export function explainBoot({
  wanted,
  node,
  chosen,
  pools,
  machineConfigs,
  protocol,
}: BootInput): BootExplanation | undefined {
  const { inputs, line } = reportOf(node, protocol);
  const { via } = node.choice;
  const pool = via.type === "pool" ? via.pool : pools.ofNode(node.node.metadata.labels ?? {})[0];
  const agreed = poolArguments(chosen, pools, protocol).filter((one) => one.pool === pool);
  const name = pool === undefined ? undefined : machineConfigName(pool);
  const machineConfig = machineConfigs.find(({ metadata }) => metadata.name === name);
  const kernelArguments = machineConfig?.spec?.kernelArguments ?? [];
  if (wanted.length === 0 && line === "" && kernelArguments.length === 0) return undefined;

  const [finding] = bootConditions([node], agreed, pools, protocol).values();
  const [outcome] = agreed;
  const reached = via.type === "pool" && outcome?.outcome.type === "agreed";
  return {
    wanted,
    ...(inputs === undefined && line === "" ? {} : { reported: line }),
    ...(pool === undefined ? {} : { pool }),
    ...(name !== undefined && machineConfig ? { machineConfig: { name, kernelArguments } } : {}),
    reached,
    because: finding?.message ?? whyNothing(node, pool, reached),
  };
}

function whyNothing({ choice }: ChosenNode, pool: string | undefined, reached: boolean): string {
  if (reached) return `All nodes of the pool ${pool} want none.`;
  if (choice.via.type === "match")
    return "The rule holds through match: only rules with machineConfigLabels and no match reach the boot arguments of a pool.";
  return `Nothing is agreed for the pool ${pool} yet.`;
}
