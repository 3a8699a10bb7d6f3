import type { CpuTopology } from "../../cpu/cpu-topology.ts";
import { invalid } from "../../schema/field-error.ts";
import type { PoolNode } from "../pool-node.ts";
import { advice, type Check } from "./check.ts";
import type { Judged, Surrounded } from "./judged.ts";
import { layoutText, presentCpus } from "./layouts.ts";
import { alike, contrast, has, namely } from "./naming.ts";

const field = "spec.nodeSelector";
const nameOf = ({ name }: PoolNode): string => name;

export const noNodes: Check<Surrounded> = {
  name: "NoNodes",
  severity: "warning",
  faults: ({ surroundings }) =>
    surroundings.nodes.length > 0
      ? []
      : [advice(field, "selects no node yet: nothing in the profile could be held against a machine")],
};

export const architectureUnknown: Check<Surrounded> = {
  name: "ArchitectureUnknown",
  severity: "error",
  faults: ({ spec, surroundings }) => {
    const unknown = surroundings.nodes.filter(({ architecture }) => !architecture).map(nameOf);
    return unknown.length === 0
      ? []
      : [invalid(field, spec.nodeSelector, `${has(unknown)} reported no architecture: wait until the kubelet has`)];
  },
};

export const architecturesDiffer: Check<Surrounded> = {
  name: "ArchitecturesDiffer",
  severity: "error",
  faults: ({ spec, surroundings }) => {
    const groups = alike(
      surroundings.nodes.filter(({ architecture }) => architecture),
      nameOf,
      ({ architecture = "" }) => architecture,
    );
    return groups.length < 2
      ? []
      : [invalid(field, spec.nodeSelector, `one profile is for nodes of one architecture: ${contrast(groups)}`)];
  },
};

export const cpuCountsDiffer: Check<Surrounded> = {
  name: "CpuCountsDiffer",
  severity: "error",
  faults: (judged) => {
    const { nodes } = judged.surroundings;
    const groups = alike(
      nodes.filter(({ cpus, topology }) => cpus !== undefined || topology),
      nameOf,
      nodes.every(({ topology }) => topology) ? presentCount : ({ cpus }) => `${cpus}`,
    );
    return groups.length < 2 ||
      isRollout(
        groups.map(([count]) => Number(count)),
        judged,
      )
      ? []
      : [invalid(field, judged.spec.nodeSelector, `one profile is for nodes with as many CPUs: ${contrast(groups)}`)];
  },
};

/** The kubelet does not count CPUs that are off; whoever looks at the machine does. */
function presentCount({ topology }: PoolNode): string {
  return `${topology ? presentCpus(topology).length : 0}`;
}

/** Nodes that have restarted with the profile count fewer CPUs than those that have not yet. */
function isRollout(counts: readonly number[], { pools, nosmt }: Judged): boolean {
  const most = Math.max(...counts);
  const offlined = pools.find(({ name }) => name === "offlined")?.cpus.length ?? 0;
  return counts.every((count) => count === most || count === most - offlined || (nosmt && count === most / 2));
}

export const topologiesDiffer: Check<Surrounded> = {
  name: "TopologiesDiffer",
  severity: "warning",
  faults: ({ surroundings }) => {
    const known = surroundings.nodes.filter(({ topology }) => topology);
    // The place of a CPU that is off is not known, and it may be off on some nodes only.
    const off = new Set(known.flatMap(({ topology }) => topology?.offline ?? []));
    const [usual] = alike(known, nameOf, presentCount);
    const [most, ...others] = alike(
      known.filter((node) => presentCount(node) === usual?.[0]),
      nameOf,
      ({ topology }) => (topology ? layoutText(without(topology, off)) : ""),
    );
    if (!most || others.length === 0) return [];
    const odd = others.flatMap(([, names]) => names);
    return [
      advice(
        field,
        `${has(odd)} CPUs in other places than ${namely(most[1])}: pools that suit one may split cores or NUMA nodes of another`,
      ),
    ];
  },
};

function without(topology: CpuTopology, off: ReadonlySet<number>): CpuTopology {
  if (off.size === 0) return topology;
  const numaNodes = topology.numaNodes.map(({ cores, ...numaNode }) => ({
    ...numaNode,
    cores: cores
      .map((core) => ({ ...core, cpus: core.cpus.filter((cpu) => !off.has(cpu)) }))
      .filter(({ cpus }) => cpus.length > 0),
  }));
  return { numaNodes, offline: [] };
}
