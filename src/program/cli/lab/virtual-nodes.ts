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
  const { readYaml, YamlError } = await import("../../../language/object/yaml.ts");
  try {
    const groups = readTopology(readYaml(await readFile(file, "utf8")));
    const pools = new Set(
      groups.flatMap(({ pool = "worker" }) => (pool === "worker" || pool === "master" ? [] : pool)),
    );
    return { nodes: nodesOfGroups(groups), pools: [...pools] };
  } catch (error) {
    if (error instanceof Error && (error as NodeJS.ErrnoException).code === "ENOENT")
      throw new Error(`--topology ${file}: no such file`, { cause: error });
    if (error instanceof TopologyError || error instanceof YamlError)
      throw new Error(`--topology ${file}: ${error.message}`, { cause: error });
    throw error;
  }
}
