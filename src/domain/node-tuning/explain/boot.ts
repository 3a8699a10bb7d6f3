import type { MachineConfig } from "../../machine-config/api.ts";
import type { Protocol } from "../api.ts";
import { type ChosenNode, poolArguments, reportOf } from "../boot/boot-arguments.ts";
import { bootConditions } from "../boot/boot-conditions.ts";
import { machineConfigName } from "../boot/machine-configs.ts";
import type { Pools } from "../../machine-config/pools.ts";

/** The boot arguments of a node's profile, and whether they reach the node. */
export interface BootExplanation {
  readonly wanted: readonly string[];
  /** What the node reported, as one line. */
  readonly reported?: string;
  /** Of those, the ones that the running kernel was not started with. */
  readonly pending: readonly string[];
  readonly pool?: string;
  readonly machineConfig?: { readonly name: string; readonly kernelArguments: readonly string[] };
  /** Whether the MachineConfig of the pool has them. */
  readonly reached: boolean;
  readonly because: string;
}

/** The reason of a condition has the arguments in it, of which a node may have hundreds of characters. */
export function withoutArguments({ because, reported = "" }: BootExplanation): string {
  return reported === "" ? because : because.replace(` ${JSON.stringify(reported)}`, "").replace(`: ${reported}`, "");
}

export interface BootInput {
  readonly wanted: readonly string[];
  readonly node: ChosenNode;
  /** All nodes of the cluster: the nodes of a pool must agree. */
  readonly chosen: readonly ChosenNode[];
  readonly pools: Pools;
  readonly machineConfigs: readonly MachineConfig[];
  readonly protocol: Protocol;
}

/** Undefined if there are no boot arguments, and never were. */
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

  const [condition] = bootConditions([node], agreed, pools, protocol).values();
  const [outcome] = agreed;
  const reached = via.type === "pool" && outcome?.outcome.type === "agreed";
  return {
    wanted,
    ...(inputs === undefined && line === "" ? {} : { reported: line }),
    ...(pool === undefined ? {} : { pool }),
    ...(name !== undefined && machineConfig ? { machineConfig: { name, kernelArguments } } : {}),
    pending: node.observed?.status?.bootcmdlinePending?.split(" ") ?? [],
    reached,
    because: condition?.message ?? whyNothing(node, pool, reached),
  };
}

function whyNothing({ choice }: ChosenNode, pool: string | undefined, reached: boolean): string {
  if (reached) return `All nodes of the pool ${pool} want none.`;
  if (choice.via.type === "match")
    return "The rule matches by match: only rules with machineConfigLabels and no match reach the boot arguments of a pool.";
  return `The nodes of the pool ${pool} have not agreed yet.`;
}
