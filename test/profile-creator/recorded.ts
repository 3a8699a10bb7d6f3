import { readFileSync } from "node:fs";
import type { CpuTopology } from "../../src/language/cpu/cpu-topology.ts";
import { type NumaNodeText, parseTopology } from "../../src/language/cpu/topology-text.ts";
import { readYaml } from "../../src/language/object/yaml.ts";

/** Inputs and outputs of the replaced creator: `test/fixtures/performance-profile/creator`. */
export interface RecordedCluster {
  readonly controlPlaneTopology: string;
  readonly pools: readonly {
    readonly name: string;
    readonly labels: Record<string, string>;
    readonly nodeSelector: { matchLabels: Record<string, string> };
  }[];
  readonly nodes: readonly RecordedNode[];
}

export interface RecordedNode {
  readonly name: string;
  readonly labels: Record<string, string>;
  readonly architecture: string;
  readonly cpus: number;
  readonly numaNodes: NumaNodeText[];
}

export type Flags = Readonly<Record<string, string | number | boolean>>;

export interface RecordedProfile {
  readonly id: string;
  readonly cluster: string;
  readonly flags: Flags;
  readonly spec: Record<string, unknown>;
}

export interface RecordedAllocation {
  readonly reserved: number;
  readonly offlined?: number;
  readonly split?: boolean;
  readonly disableHT?: boolean;
  readonly highPower?: boolean;
  readonly R: string;
  readonly I: string;
  readonly O: string;
}

export interface RecordedAllocations {
  readonly synthetic: { readonly numaNodes: NumaNodeText[]; readonly cases: readonly RecordedAllocation[] };
  readonly worker1: {
    readonly cases: readonly RecordedAllocation[];
    readonly errors: readonly Omit<RecordedAllocation, "R" | "I" | "O">[];
  };
}

export const clusters = recorded("clusters") as Readonly<Record<string, RecordedCluster>>;
export const profiles = recorded("profiles") as readonly RecordedProfile[];
export const refusals = recorded("refusals") as readonly { why: string; flags: Flags }[];
export const infos = recorded("info") as Readonly<Record<string, unknown>>;
export const allocations = recorded("allocations") as RecordedAllocations;

export function topologyOf({ numaNodes }: { readonly numaNodes: NumaNodeText[] }): CpuTopology {
  const topology = parseTopology({ numaNodes });
  if (!topology) throw new Error("the recorded topology makes no sense");
  return topology;
}

export function nodeOf(cluster: string, name: string): RecordedNode {
  const node = clusters[cluster]?.nodes.find((one) => one.name === name);
  if (!node) throw new Error(`no node ${name} was recorded`);
  return node;
}

function recorded(name: string): unknown {
  const folder = "../fixtures/performance-profile/creator";
  return readYaml(readFileSync(new URL(`${folder}/${name}.yaml`, import.meta.url), "utf8"));
}
