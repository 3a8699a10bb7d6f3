import { readFile } from "node:fs/promises";
import { VirtualNode } from "../../../embedded/lab/kubelet/node/virtual-node.ts";
import { machineBase, smallMachine } from "../../../embedded/lab/machine-base.ts";
import { type NodeGroup, readTopology, TopologyError } from "../../../embedded/lab/topology-file.ts";

/** Nodes with the smallest hardware: PREFIX1, PREFIX2, … */
export function smallNodes(
  count: number,
  prefix: string,
  labels: (name: string) => Readonly<Record<string, string>> = () => ({}),
): VirtualNode[] {
  const base = machineBase(smallMachine);
  const names = Array.from({ length: count }, (_, index) => `${prefix}${index + 1}`);
  return names.map((name) => new VirtualNode({ name, topology: smallMachine, base, labels: labels(name) }));
}

function nodesOfGroups(groups: readonly NodeGroup[]): VirtualNode[] {
  return groups.flatMap(({ names, pool: _, ...shared }) => {
    const base = machineBase(shared.topology);
    return names.map((name) => new VirtualNode({ name, base, ...shared }));
  });
}

/** The nodes of a topology file. */
export async function nodesOfFile(file: string): Promise<VirtualNode[]> {
  return (await readTopologyFile(file)).nodes;
}

interface TopologyFile {
  readonly nodes: VirtualNode[];
  /** That its groups name, besides those that every cluster has. */
  readonly pools: readonly string[];
}

export async function readTopologyFile(file: string): Promise<TopologyFile> {
  const groups = await readGroups(file);
  const pools = new Set(groups.flatMap(({ pool = "worker" }) => (pool === "worker" || pool === "master" ? [] : pool)));
  return { nodes: nodesOfGroups(groups), pools: [...pools] };
}

interface HostedTopology {
  readonly nodes: VirtualNode[];
  /** How many nodes each NodePool has. */
  readonly nodePools: ReadonlyMap<string, number>;
}

/** As nodes of a hosted cluster: pools are NodePools. `usual`: of groups that name none. */
export async function readHostedTopology(
  file: string,
  labelsOf: (nodePool: string) => Readonly<Record<string, string>>,
  usual: string,
): Promise<HostedTopology> {
  const nodePools = new Map<string, number>();
  const groups = (await readGroups(file)).map((group) => {
    const { pool = usual, names, labels } = group;
    nodePools.set(pool, (nodePools.get(pool) ?? 0) + names.length);
    return { ...group, labels: { ...labels, ...labelsOf(pool) } };
  });
  return { nodes: nodesOfGroups(groups), nodePools };
}

async function readGroups(file: string): Promise<NodeGroup[]> {
  const { readYaml, YamlError } = await import("../../../language/object/yaml.ts");
  try {
    return readTopology(readYaml(await readFile(file, "utf8")));
  } catch (error) {
    if (error instanceof Error && (error as NodeJS.ErrnoException).code === "ENOENT")
      throw new Error(`--topology ${file}: no such file`, { cause: error });
    if (error instanceof TopologyError || error instanceof YamlError)
      throw new Error(`--topology ${file}: ${error.message}`, { cause: error });
    throw error;
  }
}
