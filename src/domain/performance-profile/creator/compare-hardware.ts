import { formatRanges, type CpuSet, cpuSet } from "../../../language/cpu/cpu-set.ts";
import type { CpuTopology, NumaNode } from "../../../language/cpu/cpu-topology.ts";
import type { PoolNode } from "../pool-node.ts";

/** A node with known hardware. */
export interface Machine extends PoolNode {
  readonly topology: CpuTopology;
}

/** Errors: one profile cannot serve all nodes. Each message names the first node, and those that differ from it in the same way. */
export interface HardwareDifferences {
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
}

/** A profile names CPUs by number, so a number must mean the same CPU on all nodes of a pool. */
export function compareHardware([first, ...others]: readonly Machine[]): HardwareDifferences {
  const found = new Map<string, { readonly difference: Difference; readonly nodes: string[] }>();
  for (const other of first ? others : []) {
    const difference = first && differenceOf(first, other);
    if (!difference) continue;
    const key = JSON.stringify(difference);
    const known = found.get(key) ?? { difference, nodes: [] };
    known.nodes.push(other.name);
    found.set(key, known);
  }
  const messages = (type: Difference["type"]): string[] =>
    [...found.values()]
      .filter(({ difference }) => difference.type === type)
      .map(({ difference: { what, one, another }, nodes }) => {
        const more = nodes.length > 3 ? ` and ${nodes.length - 3} more` : "";
        const where = `${nodes.length > 1 ? "nodes" : "node"} ${nodes.slice(0, 3).join(", ")}${more}`;
        return `${what}: ${one} on node ${first?.name}, ${another} on ${where}`;
      });
  return { errors: messages("error"), warnings: messages("warning") };
}

interface Difference {
  readonly type: "error" | "warning";
  readonly what: string;
  readonly one: string;
  readonly another: string;
}

/** The first difference: others may follow from it. */
function differenceOf(a: Machine, b: Machine): Difference | undefined {
  const differs = (what: string, one: string, another: string): Difference | undefined =>
    one === another ? undefined : { type: "error", what, one, another };
  const ids = ({ topology }: Machine): string => formatRanges(cpuSet(topology.numaNodes.map(({ id }) => id)));
  return (
    (a.architecture && b.architecture ? differs("architecture", a.architecture, b.architecture) : undefined) ??
    differs("NUMA nodes", ids(a), ids(b)) ??
    first(a.topology.numaNodes, (node, index) => {
      const other = b.topology.numaNodes[index];
      return other && differenceOfNodes(node, other, differs);
    }) ??
    first(a.topology.numaNodes, (node, index) => {
      const [one, another] = [coreIds(node), coreIds(b.topology.numaNodes[index])];
      if (one === another) return undefined;
      return { type: "warning", what: `core ids on NUMA node ${node.id}`, one, another };
    })
  );
}

function differenceOfNodes(
  a: NumaNode,
  b: NumaNode,
  differs: (what: string, one: string, another: string) => Difference | undefined,
): Difference | undefined {
  const where = `on NUMA node ${a.id}`;
  return (
    differs(`number of cores ${where}`, `${a.cores.length}`, `${b.cores.length}`) ??
    differs(`threads per core ${where}`, threads(a), threads(b)) ??
    differs(`CPUs ${where}`, formatRanges(cpus(a)), formatRanges(cpus(b))) ??
    first(a.cores, (core, index) =>
      differs(`threads of a core ${where}`, formatRanges(core.cpus), formatRanges(b.cores[index]?.cpus ?? [])),
    )
  );
}

function threads({ cores }: NumaNode): string {
  return formatRanges(cpuSet(cores.map((core) => core.cpus.length)));
}

function cpus({ cores }: NumaNode): CpuSet {
  return cpuSet(cores.flatMap((core) => core.cpus));
}

function coreIds(node: NumaNode | undefined): string {
  return (node?.cores ?? []).map(({ socket, id }) => `${socket}/${id}`).join(" ");
}

function first<T, R>(items: readonly T[], find: (item: T, index: number) => R | undefined): R | undefined {
  for (const [index, item] of items.entries()) {
    const found = find(item, index);
    if (found !== undefined) return found;
  }
  return undefined;
}
