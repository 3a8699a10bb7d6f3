import type { CpuTopology } from "../../../language/cpu/cpu-topology.ts";
import { invalid } from "../../../language/schema/field-error.ts";
import type { PoolNode } from "../pool-node.ts";
import { advice, type Check } from "./check.ts";
import type { Judged, Surrounded } from "./judged.ts";
import { LayoutTexts, presentCount } from "./layouts.ts";
import { alike, contrast, has, namely } from "./naming.ts";

const field = "spec.nodeSelector";
const nameOf = ({ name }: PoolNode): string => name;

export const noNodes: Check<Surrounded> = {
  name: "NoNodes",
  severity: "warning",
  faults: ({ surroundings }) =>
    surroundings.nodes.length > 0
      ? []
      : [advice(field, "selects no node yet: the profile could not be checked against node hardware")],
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
    const { spec, surroundings } = judged;
    const machines = surroundings.nodes.every(({ topology }) => topology);
    const groups = machines
      ? alike(surroundings.nodes, nameOf, machineCount)
      : alike(
          surroundings.nodes.filter(({ cpus }) => cpus !== undefined),
          nameOf,
          ({ cpus }) => `${cpus}`,
        );
    const counts = groups.map(([count]) => Number(count));
    if (counts.length < 2 || (!machines && isRollout(counts, judged))) return [];
    return [
      invalid(field, spec.nodeSelector, `one profile is for nodes with the same number of CPUs: ${contrast(groups)}`),
    ];
  },
};

function machineCount({ topology }: PoolNode): string {
  return `${topology ? presentCount(topology) : 0}`;
}

/**
 * The kubelet does not report offline CPUs, so nodes that have restarted with the profile have fewer than the others. The
 * others have all CPUs that the profile names.
 */
function isRollout(counts: readonly number[], { pools, nosmt }: Judged): boolean {
  const most = Math.max(...counts);
  if (pools.some(({ cpus }) => cpus.some((cpu) => cpu >= most))) return false;
  const offlined = pools.find(({ name }) => name === "offlined")?.cpus.length ?? 0;
  return counts.every((count) => count === most || count === most - offlined || (nosmt && count === most / 2));
}

export const topologiesDiffer: Check<Surrounded> = {
  name: "TopologiesDiffer",
  severity: "warning",
  faults: ({ surroundings }) => {
    const known = surroundings.nodes.filter(({ topology }) => topology);
    // The place of an offline CPU is unknown, and it may be offline on some nodes only.
    const off = new Set(known.flatMap(({ topology }) => topology?.offline ?? []));
    const texts = new LayoutTexts();
    const [usual] = alike(known, nameOf, machineCount);
    const [most, ...others] = alike(
      known.filter((node) => machineCount(node) === usual?.[0]),
      nameOf,
      ({ topology }) => (topology ? texts.of(without(topology, off)) : ""),
    );
    if (!most || others.length === 0) return [];
    const odd = others.flatMap(([, names]) => names);
    return [
      advice(
        field,
        `${has(odd)} another CPU topology than ${namely(most[1])}, so whole cores on the one are not whole cores on the other: use one profile for each topology`,
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
