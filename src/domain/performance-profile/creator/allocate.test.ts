import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cpuSet, formatRanges, intersection, isSubset } from "../../../language/cpu/cpu-set.ts";
import { type Core, coresOf, type CpuTopology, hasSmt } from "../../../language/cpu/cpu-topology.ts";
import { anyTopology } from "../../../language/cpu/testing/any-topology.ts";
import { allocate, type Allocation, type Division } from "./allocate.ts";

/** Two sockets of two NUMA nodes each, four cores of two threads on each. */
const synthetic = machineOf([0, 4, 16, 20].map((first) => [0, 1, 2, 3].map((i) => [first + i, first + i + 8])));
const twoNodes = machineOf(
  [0, 1].map((node) => Array.from({ length: 20 }, (_, i) => [2 * i + node, 2 * i + node + 40])),
);

describe("allocate", () => {
  it.each<[string, Partial<Division>, string]>([
    ["no CPU", { reserved: 0 }, "0 CPUs cannot be reserved: 1 to 79 of the node's 80 can be"],
    ["all CPUs", { reserved: 80 }, "80 CPUs cannot be reserved: 1 to 79 of the node's 80 can be"],
    [
      "half a core",
      { reserved: 5 },
      "5 CPUs cannot be reserved: only whole cores are, of 2 threads each; 4 or 6 can be",
    ],
    [
      "half of the last core",
      { reserved: 79 },
      "79 CPUs cannot be reserved: only whole cores are, of 2 threads each; 78 can be",
    ],
    [
      "fewer cores than NUMA nodes",
      { reserved: 2, split: true },
      "2 reserved CPUs cannot be split over 2 NUMA nodes: 4 or more can be",
    ],
    [
      "nothing left to isolate",
      { reserved: 50, offlined: 30 },
      "30 CPUs cannot be offlined: 0 to 29 of the node's 80 can be, beside 50 reserved ones",
    ],
  ])("names values to use instead of %s", (_, wish, reason) => {
    expect(allocate(twoNodes, divisionOf({ reserved: 4, ...wish }))).toEqual({ type: "impossible", reason });
  });

  it("divides cores that do not divide evenly among NUMA nodes, and exactly as many as asked for", () => {
    const reserved = (count: number): string | undefined =>
      texts(allocate(synthetic, divisionOf({ reserved: count, split: true })))?.reserved;
    expect(reserved(10)).toBe("0-1,4,8-9,12,16,20,24,28");
    expect(reserved(12)).toBe("0-1,4-5,8-9,12-13,16,20,24,28");
    expect(reserved(14)).toBe("0-1,4-5,8-9,12-13,16-17,20,24-25,28");
  });

  it("takes from larger NUMA nodes what smaller ones do not have", () => {
    const uneven = machineOf([[[0]], [[1], [2], [3], [4]], [[5], [6]]]);
    const wish = divisionOf({ reserved: 6, split: true });
    expect(texts(allocate(uneven, wish))).toMatchObject({ reserved: "0-3,5-6", isolated: "4" });
  });

  it("agrees with the creator it replaces wherever the latter reserves as many as requested", () => {
    const shape = fc.record({
      nodes: fc.integer({ min: 1, max: 8 }),
      q: fc.integer({ min: 0, max: 5 }),
      last: fc.boolean(),
    });
    fc.assert(
      fc.property(shape, ({ nodes, q, last }) => {
        const machine = machineOf(
          Array.from({ length: nodes }, (_, node) => Array.from({ length: 8 }, (_none, core) => [core * nodes + node])),
        );
        const reserved = nodes * q + (last ? nodes - 1 : 0);
        fc.pre(reserved > 0);
        const outcome = allocate(machine, divisionOf({ reserved, split: true }));
        expect(outcome).toMatchObject({ type: "allocated", reserved: runningMaximum(machine, reserved) });
      }),
      { numRuns: 60 },
    );
  });

  it("warns where single CPUs do not reach every NUMA node", () => {
    const outcome = allocate(synthetic, divisionOf({ reserved: 3, split: true, disableSmt: true }));
    expect(outcome).toMatchObject({
      type: "allocated",
      reserved: [0, 4, 16],
      warnings: [expect.stringMatching(/4 or more/)],
    });
  });

  it("takes whole cores of machines whose cores differ", () => {
    const hybrid = machineOf([[[0, 1], [2, 3], [4], [5]]]);
    expect(texts(allocate(hybrid, divisionOf({ reserved: 3 })))).toMatchObject({
      reserved: "0-1,4",
      isolated: "2-3,5",
    });
  });

  it("ignores NUMA nodes without CPUs", () => {
    const withMemory = { ...synthetic, numaNodes: [...synthetic.numaNodes, { id: 9, memoryKiB: 1024, cores: [] }] };
    const wish = divisionOf({ reserved: 8, split: true });
    expect(allocate(withMemory, wish)).toEqual(allocate(synthetic, wish));
  });

  it.each([0, 1])("refuses a machine of %i CPUs", (count) => {
    expect(allocate(machineOf([count === 0 ? [] : [[0]]]), divisionOf({ reserved: 1 }))).toEqual({
      type: "impossible",
      reason: `${count} CPUs cannot be divided: at least one is reserved and one is isolated`,
    });
  });

  it("divides any machine completely, in whole cores, and balanced where that is asked for", () => {
    const wish = fc.record({
      reserved: fc.double({ min: 0, max: 1, noNaN: true }),
      offlined: fc.double({ min: 0, max: 1, noNaN: true }),
      split: fc.boolean(),
      disableSmt: fc.boolean(),
      keepSockets: fc.boolean(),
    });
    fc.assert(
      fc.property(anyTopology, wish, (machine, share) => {
        const all = remaining(machine, share.disableSmt);
        const cores = all.map(({ cpus }) => cpus.length);
        const total = cores.reduce((sum, one) => sum + one, 0);
        const division = {
          ...share,
          reserved: Math.floor(share.reserved * (total + 1)),
          offlined: Math.floor(share.offlined * (total + 1)),
        };
        const outcome = allocate(machine, division);
        const nodes = machine.numaNodes.length;
        const threads = cores[0] ?? 0;
        const possible =
          division.reserved >= 1 &&
          division.reserved + division.offlined < total &&
          division.reserved % threads === 0 &&
          (!division.split || threads === 1 || division.reserved >= nodes * threads);
        expect(outcome.type).toBe(possible ? "allocated" : "impossible");
        if (outcome.type === "allocated") check(machine, division, outcome, all);
      }),
      { numRuns: 400 },
    );
  });
});

function check(
  machine: CpuTopology,
  division: Division,
  { reserved, isolated, offlined }: Extract<Allocation, { type: "allocated" }>,
  cores: readonly Core[],
): void {
  expect(reserved).toHaveLength(division.reserved);
  expect(offlined).toHaveLength(division.offlined);
  expect(isolated.length).toBeGreaterThan(0);
  // Disjoint and complete: nothing twice, nothing left over.
  expect([...reserved, ...isolated, ...offlined].toSorted((a, b) => a - b)).toEqual(
    cpuSet(cores.flatMap(({ cpus }) => cpus)),
  );
  for (const { cpus } of cores)
    expect(intersection(cpus, reserved).length === 0 || isSubset(cpus, reserved)).toBe(true);
  if (!division.split) return;
  const taken = machine.numaNodes.map(
    (node) => node.cores.filter(({ cpus }) => reserved.includes(cpus[0] ?? -1)).length,
  );
  expect(Math.max(...taken) - Math.min(...taken)).toBeLessThanOrEqual(1);
}

/** What is there after a start: with SMT switched off, the first thread of each core. */
function remaining(machine: CpuTopology, disableSmt: boolean): readonly Core[] {
  const cores = coresOf(machine);
  return disableSmt && hasSmt(machine) ? cores.map((one) => ({ ...one, cpus: one.cpus.slice(0, 1) })) : cores;
}

function divisionOf(wish: Partial<Division>): Division {
  return { reserved: 0, offlined: 0, split: false, disableSmt: false, keepSockets: false, ...wish };
}

function texts(outcome: Allocation): Record<"reserved" | "isolated" | "offlined", string> | undefined {
  if (outcome.type !== "allocated") return undefined;
  const { reserved, isolated, offlined } = outcome;
  return { reserved: formatRanges(reserved), isolated: formatRanges(isolated), offlined: formatRanges(offlined) };
}

/** How the other one goes about it: up to a total that grows from NUMA node to NUMA node. */
function runningMaximum({ numaNodes }: CpuTopology, count: number): readonly number[] {
  const each = Math.floor(count / numaNodes.length);
  let rest = count % numaNodes.length;
  let most = 0;
  const taken: number[] = [];
  for (const [index, { cores }] of numaNodes.entries()) {
    if (rest > 0) most = (index + 1) * each + (numaNodes.length - rest--);
    else most += each;
    for (const { cpus } of cores) if (taken.length < most) taken.push(...cpus);
  }
  return cpuSet(taken);
}

/** Threads of cores of NUMA nodes; two nodes make a socket. */
function machineOf(nodes: readonly (readonly (readonly number[])[])[]): CpuTopology {
  const numaNodes = nodes.map((cores, id) => ({
    id,
    cores: cores.map((cpus, core) => ({ id: id * 100 + core, socket: Math.floor(id / 2), cpus })),
  }));
  return { numaNodes, offline: [] };
}
