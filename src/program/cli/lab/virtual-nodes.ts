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
  return groups.flatMap(({ names, ...shared }) => {
    const base = machineBase(shared.topology);
    return names.map((name) => new VirtualNode({ name, base, ...shared }));
  });
}

/** The nodes of a topology file. */
export async function nodesOfFile(file: string): Promise<VirtualNode[]> {
  const { readYaml, YamlError } = await import("../../../language/object/yaml.ts");
  try {
    return nodesOfGroups(readTopology(readYaml(await readFile(file, "utf8"))));
  } catch (error) {
    if (error instanceof TopologyError || error instanceof YamlError)
      throw new Error(`--topology ${file}: ${error.message}`, { cause: error });
    throw error;
  }
}
