import { type FieldError, forbidden, notFound } from "../../schema/field-error.ts";
import { child } from "../../schema/path.ts";
import type { PoolNode } from "../pool-node.ts";
import { advice, type Check } from "./check.ts";
import type { JudgedPages, Surrounded } from "./judged.ts";
import { has, namely } from "./naming.ts";

export const numaNodeDoesNotExist: Check<Surrounded> = {
  name: "NumaNodeDoesNotExist",
  severity: "error",
  faults: ({ pages, surroundings }) =>
    pages.flatMap(({ field, node }) => {
      if (node === undefined || node < 0) return [];
      const lacking = surroundings.nodes
        .filter(({ topology }) => topology && !topology.numaNodes.some(({ id }) => id === node))
        .map(({ name }) => name);
      if (lacking.length === 0) return [];
      const fault = notFound(child(field, "node"), node);
      return [{ ...fault, message: `${fault.message}: ${has(lacking)} no such NUMA node` }];
    }),
};

export const hugepagesExceedMemory: Check<Surrounded> = {
  name: "HugepagesExceedMemory",
  severity: "error",
  faults: (judged) =>
    demandsOf(judged).flatMap((demand) => {
      const { kib, where, field } = demand;
      const short = demand.supplies.filter((supply) => kib > supply.kib);
      if (short.length === 0) return [];
      const least = Math.min(...short.map((supply) => supply.kib));
      const names = short.map(({ node }) => node);
      return [forbidden(field, `${memory(kib)} ${where} are more than ${has(names)}: ${memory(least)}`)];
    }),
};

/** The system, the kubelet and every pod without huge pages live on the rest. */
const mostShare = 0.9;

export const hugepagesLeaveLittle: Check<Surrounded> = {
  name: "HugepagesLeaveLittle",
  severity: "warning",
  faults: (judged) =>
    demandsOf(judged).flatMap(({ kib, where, field, supplies }): FieldError[] => {
      const tight = supplies.filter((supply) => kib > supply.kib * mostShare && kib <= supply.kib);
      if (tight.length === 0) return [];
      const left = Math.min(...tight.map((supply) => supply.kib - kib));
      const names = namely(tight.map(({ node }) => node));
      return [advice(field, `${memory(kib)} ${where} leave only ${memory(left)} of ${names} for everything else`)];
    }),
};

/** Memory that is asked for in one place, and what each node has there. */
interface Demand {
  readonly where: string;
  readonly field: string;
  readonly kib: number;
  readonly supplies: readonly { readonly node: string; readonly kib: number }[];
}

function demandsOf({ pages, surroundings }: Surrounded): Demand[] {
  const numaNodes = [...new Set(pages.flatMap(({ node }) => node ?? []))];
  const demands = numaNodes.map((id) => {
    const there = pages.filter(({ node }) => node === id);
    return { ...demandOf(there, `on NUMA node ${id}`), supplies: suppliesOf(surroundings.nodes, id) };
  });
  // One that is within a NUMA node's memory may still be too much for a machine that has others.
  return [...demands, { ...demandOf(pages, "of huge pages"), supplies: suppliesOf(surroundings.nodes) }];
}

function demandOf(pages: readonly JudgedPages[], where: string): Omit<Demand, "supplies"> {
  const [only, ...others] = pages;
  const field = only && others.length === 0 ? only.field : "spec.hugepages.pages";
  return { where, field, kib: pages.reduce((sum, { count, sizeKiB }) => sum + Math.max(count, 0) * sizeKiB, 0) };
}

function suppliesOf(nodes: readonly PoolNode[], numaNode?: number): Demand["supplies"] {
  return nodes.flatMap(({ name, topology }) => {
    const there = (topology?.numaNodes ?? []).filter(({ id }) => numaNode === undefined || id === numaNode);
    if (there.length === 0 || there.some(({ memoryKiB }) => memoryKiB === undefined)) return [];
    return [{ node: name, kib: there.reduce((sum, { memoryKiB = 0 }) => sum + memoryKiB, 0) }];
  });
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
