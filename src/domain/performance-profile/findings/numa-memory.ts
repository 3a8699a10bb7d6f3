import { type FieldError, forbidden, notFound } from "../../../language/schema/field-error.ts";
import { countsDiffer, numaMemoryKiB } from "../../../language/cpu/memory-counts.ts";
import { child } from "../../../language/schema/path.ts";
import type { PoolNode } from "../pool-node.ts";
import { advice, type Check } from "./check.ts";
import type { JudgedPages, Surrounded } from "./judged.ts";
import { has, namely } from "./naming.ts";

export const numaNodeDoesNotExist: Check<Surrounded> = {
  name: "NumaNodeDoesNotExist",
  severity: "error",
  faults: ({ pages, layouts }) => {
    const machines = layouts.map(({ topology, nodes }) => ({
      ids: new Set(topology.numaNodes.map(({ id }) => id)),
      nodes,
    }));
    return pages.flatMap(({ field, node }) => {
      if (node === undefined || node < 0) return [];
      const lacking = machines.flatMap(({ ids, nodes }) => (ids.has(node) ? [] : nodes));
      if (lacking.length === 0) return [];
      const fault = notFound(child(field, "node"), node);
      return [{ ...fault, message: `${fault.message}: ${has(lacking)} no such NUMA node` }];
    });
  },
};

export const hugepagesExceedMemory: Check<Surrounded> = {
  name: "HugepagesExceedMemory",
  severity: "error",
  faults: (judged) =>
    ofNumaNodesFirst(judged, ({ kib, where, field, supplies }) => {
      const short = supplies.filter((supply) => kib > supply.kib);
      if (short.length === 0) return [];
      const names = short.map(({ node }) => node);
      return [forbidden(field, `${memory(kib)} ${where} are more than ${has(names)}: ${memory(least(short))}`)];
    }),
};

/** The system, the kubelet and every pod without huge pages use the rest. */
const mostShare = 0.9;

export const hugepagesLeaveLittle: Check<Surrounded> = {
  name: "HugepagesLeaveLittle",
  severity: "warning",
  faults: (judged) =>
    ofNumaNodesFirst(judged, ({ kib, where, field, supplies }) => {
      const tight = supplies.filter((supply) => kib > supply.kib * mostShare && kib <= supply.kib);
      if (tight.length === 0) return [];
      const left = least(tight) - kib;
      const names = namely(tight.map(({ node }) => node));
      return [advice(field, `${memory(kib)} ${where} leave only ${memory(left)} of ${names} for everything else`)];
    }),
};

/** The checks above use the NUMA nodes' counts, so other counts are only worth a look where pages are asked for. */
export const memoryDisagrees: Check<Surrounded> = {
  name: "MemoryDisagrees",
  severity: "warning",
  faults: ({ pages, surroundings }) => {
    if (pages.length === 0) return [];
    const { field } = demandOf(pages, "");
    return surroundings.nodes.flatMap(({ name, topology, memoryKiB: kubelet }) => {
      const numa = topology && numaMemoryKiB(topology);
      if (numa === undefined) return [];
      const others = [
        { kib: topology?.memoryKiB, by: "/proc/meminfo" },
        { kib: kubelet, by: "the capacity of its kubelet" },
      ].flatMap(({ kib, by }) => (kib === undefined || !countsDiffer(kib, numa) ? [] : [`${memory(kib)} by ${by}`]));
      if (others.length === 0) return [];
      const counts = listed([`${memory(numa)} by its NUMA nodes in /sys`, ...others]);
      return [advice(field, `the memory of ${name} is ${counts}: huge pages are checked against the NUMA nodes`)];
    });
  },
};

function listed(parts: readonly string[]): string {
  const last = parts.at(-1) ?? "";
  return parts.length < 2 ? last : `${parts.slice(0, -1).join(", ")} and ${last}`;
}

/** Memory that huge pages need in one place, and what each node has there. */
interface Demand {
  readonly where: string;
  readonly field: string;
  readonly kib: number;
  readonly supplies: readonly Supply[];
}

interface Supply {
  readonly node: string;
  readonly kib: number;
}

/** Checks each NUMA node, and the whole machine only if these are fine: pages without a NUMA node count there too. */
function ofNumaNodesFirst(
  { pages, surroundings }: Surrounded,
  say: (demand: Demand) => readonly FieldError[],
): readonly FieldError[] {
  const there = new Map<number | undefined, JudgedPages[]>();
  for (const page of pages) {
    const others = there.get(page.node);
    if (others) others.push(page);
    else there.set(page.node, [page]);
  }
  const { byNumaNode, whole } = suppliesOf(surroundings.nodes);
  const faults = [...byNumaNode].flatMap(([id, supplies]) => {
    const asked = there.get(id);
    return asked ? say({ ...demandOf(asked, `on NUMA node ${id}`), supplies }) : [];
  });
  return faults.length > 0 ? faults : say({ ...demandOf(pages, "of huge pages"), supplies: whole });
}

function demandOf(pages: readonly JudgedPages[], where: string): Omit<Demand, "supplies"> {
  const [only, ...others] = pages;
  const field = only && others.length === 0 ? only.field : "spec.hugepages.pages";
  return { where, field, kib: pages.reduce((sum, { count, sizeKiB }) => sum + Math.max(count, 0) * sizeKiB, 0) };
}

/** Of nodes with known memory. */
function suppliesOf(nodes: readonly PoolNode[]): { byNumaNode: Map<number, Supply[]>; whole: Supply[] } {
  const byNumaNode = new Map<number, Supply[]>();
  const whole: Supply[] = [];
  for (const { name: node, topology } of nodes) {
    const sum = topology && numaMemoryKiB(topology);
    for (const { id, memoryKiB: kib } of topology?.numaNodes ?? []) {
      if (kib === undefined) continue;
      const supplies = byNumaNode.get(id);
      if (supplies) supplies.push({ node, kib });
      else byNumaNode.set(id, [{ node, kib }]);
    }
    if (sum !== undefined) whole.push({ node, kib: sum });
  }
  return { byNumaNode, whole };
}

function least(supplies: readonly Supply[]): number {
  return supplies.reduce((smallest, { kib }) => Math.min(smallest, kib), Infinity);
}

const units = ["KiB", "MiB", "GiB", "TiB", "PiB"];

/** `16 GiB` */
function memory(kib: number): string {
  let amount = kib;
  let unit = 0;
  while (amount >= 1024 && unit < units.length - 1) {
    amount /= 1024;
    unit++;
  }
  return `${Math.round(amount * 10) / 10} ${units[unit]}`;
}
