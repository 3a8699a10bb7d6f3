import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type CpuSet, cpuSet, difference, intersection, isSubset, union } from "../../../../language/cpu/cpu-set.ts";
import { type CpuTopology, onlineCpus } from "../../../../language/cpu/cpu-topology.ts";
import { cpuTree } from "../../../../language/cpu/cpu-tree.ts";
import { modes, type PerftuneOptions } from "../option/perftune-options.ts";
import { deriveMasks } from "./derive-masks.ts";
import { canonicalMask, jobMask, kernelMask, parseGivenMask } from "./mask-text.ts";
import { spread } from "./spread.ts";

const mostCpus = 1024;

/** Sockets, NUMA nodes, threads, CPU numbers with holes, and CPUs that are offline: up to 1,024 CPUs. */
const hosts: fc.Arbitrary<CpuTopology> = fc
  .record({
    sockets: fc.constantFrom(1, 2, 4),
    nodesPerSocket: fc.constantFrom(1, 2, 4),
    coresPerNode: fc.integer({ min: 1, max: 64 }),
    threads: fc.constantFrom(1, 2, 4),
    isSplit: fc.boolean(),
    hole: fc.constantFrom(1, 1, 3),
    offline: fc.oneof(fc.constant([]), fc.array(fc.nat({ max: mostCpus }), { maxLength: 40 })),
  })
  .map(({ sockets, nodesPerSocket, coresPerNode, threads, isSplit, hole, offline }) => {
    const nodes = sockets * nodesPerSocket;
    const cores = Math.max(1, Math.min(coresPerNode, Math.floor(mostCpus / (nodes * threads))));
    const cpuOf = (core: number, thread: number): number =>
      (isSplit ? core + thread * nodes * cores : core * threads + thread) * hole;
    const numaNodes = Array.from({ length: nodes }, (_, node) => ({
      id: node,
      cores: Array.from({ length: cores }, (_core, id) => ({
        id,
        socket: Math.floor(node / nodesPerSocket),
        cpus: cpuSet(Array.from({ length: threads }, (_thread, thread) => cpuOf(node * cores + id, thread))),
      })),
    }));
    const all = onlineCpus({ numaNodes, offline: [] });
    // One CPU is always online.
    const off = intersection(all.slice(1), cpuSet(offline));
    return {
      offline: off,
      numaNodes: numaNodes.map((node) => ({
        ...node,
        cores: node.cores
          .map((core) => ({ ...core, cpus: difference(core.cpus, off) }))
          .filter(({ cpus }) => cpus.length > 0),
      })),
    };
  });

const given = (cpus: CpuSet): { text: string; cpus: CpuSet } => ({ text: canonicalMask(cpus), cpus });
const auto = { mode: "auto", coresPerIrqCore: 16 } as const;

describe("masks of 64 hosts", () => {
  it("scylla W-7: are inside the host, whatever is offline; interrupts and database share no CPU where they do not share all", () => {
    fc.assert(
      fc.property(
        hosts,
        fc.constantFrom(...modes),
        fc.integer({ min: 5, max: 40 }),
        (topology, mode, coresPerIrqCore) => {
          const all = onlineCpus(topology);
          const masks = deriveMasks({ options: { mode, coresPerIrqCore }, topology, hasSiblings: true });
          if (masks.type === "refused") {
            const reasons = mode === "auto" ? ["AsymmetricNumaNodes"] : ["ZeroComputeMask"];
            expect(reasons).toContain(masks.reason);
            return;
          }
          expect(masks.universe).toEqual(all);
          expectDivision(
            masks,
            mode === "mq" || mode === "no_irq_restrictions" || (mode === "auto" && all.length <= 4),
          );
          if (mode === "auto" && masks.irq.length > 1 && masks.irq.length < all.length)
            for (const { cores } of topology.numaNodes)
              for (const { cpus } of cores) expect([0, cpus.length]).toContain(intersection(cpus, masks.irq).length);
        },
      ),
      { numRuns: 64 },
    );
  });

  it("are those that the user gives, as far as the host has them", () => {
    fc.assert(
      fc.property(
        hosts,
        fc.array(fc.nat({ max: 1100 }), { maxLength: 60 }),
        fc.boolean(),
        (topology, some, isUniverse) => {
          const all = onlineCpus(topology);
          const mask = given(cpuSet(some));
          const options: Pick<PerftuneOptions, "mode" | "coresPerIrqCore" | "cpuMask" | "irqCpuMask"> = isUniverse
            ? { ...auto, mode: "mq", cpuMask: mask }
            : { ...auto, irqCpuMask: mask };
          const masks = deriveMasks({ options, topology, hasSiblings: false });
          const present = intersection(mask.cpus, all);
          if (masks.type === "refused") {
            expect({ reason: masks.reason, isUniverse, present }).toEqual({
              reason: "ZeroIrqMask",
              isUniverse: false,
              present: [],
            });
            return;
          }
          expect(isUniverse ? masks.universe : masks.irq).toEqual(isUniverse && present.length === 0 ? all : present);
          expectDivision(masks, masks.irq.length === masks.universe.length);
        },
      ),
      { numRuns: 64 },
    );
  });

  it("are spread without loss, and evenly", () => {
    fc.assert(
      fc.property(hosts, fc.integer({ min: 1, max: 300 }), (topology, count) => {
        const all = onlineCpus(topology);
        const shares = spread(cpuTree(topology), count);
        expect(shares).toHaveLength(count);
        expect(shares.every((share) => share.length > 0)).toBe(true);
        expect(shares.reduce(union, [])).toEqual(all);
        const firsts = new Map<number, number>();
        for (const [first = -1] of shares) firsts.set(first, (firsts.get(first) ?? 0) + 1);
        if (count <= all.length) expect(firsts.size).toBe(count);
        else expect(Math.max(...firsts.values()) - Math.min(...firsts.values())).toBeLessThanOrEqual(1);
      }),
      { numRuns: 64 },
    );
  });

  it("are read back from each text", () => {
    fc.assert(
      fc.property(hosts, (topology) => {
        const cpus = onlineCpus(topology);
        for (const text of [canonicalMask(cpus), jobMask(cpus)]) expect(parseGivenMask(text)?.cpus).toEqual(cpus);
        expect(parseGivenMask(`0x${kernelMask(cpus).replaceAll(",", ",0x")}`)?.cpus).toEqual(cpus);
      }),
      { numRuns: 64 },
    );
  });
});

function expectDivision(
  { universe, irq, compute }: { readonly universe: CpuSet; readonly irq: CpuSet; readonly compute: CpuSet },
  isShared: boolean,
): void {
  expect([irq.length, compute.length]).not.toContain(0);
  expect(isSubset(irq, universe)).toBe(true);
  expect(isSubset(compute, universe)).toBe(true);
  expect(intersection(irq, compute)).toEqual(isShared ? universe : []);
  expect(union(irq, compute)).toEqual(universe);
}

describe("a host that perftune.py gets wrong", () => {
  it("numbers its NUMA nodes with gaps, and one has no CPU", () => {
    const numaNodes = [
      { id: 0, cores: [] },
      { id: 3, cores: Array.from({ length: 20 }, (_, id) => ({ id, socket: 0, cpus: [2 * id, 2 * id + 1] })) },
    ];
    const masks = deriveMasks({ options: auto, topology: { numaNodes, offline: [] }, hasSiblings: true });
    expect(masks).toMatchObject({ type: "masks", irq: [0, 1, 2, 3] });
  });

  it("has the database's CPUs in another order than NUMA nodes: the first core is that of the lowest CPU", () => {
    const node = (id: number, first: number): CpuTopology["numaNodes"][number] => ({
      id,
      cores: [0, 1, 2, 3, 4].map((core) => ({ id: core, socket: id, cpus: [first + core] })),
    });
    const masks = deriveMasks({
      options: auto,
      topology: { numaNodes: [node(0, 5), node(1, 0)], offline: [] },
      hasSiblings: true,
    });
    expect(masks).toMatchObject({ irq: [0] });
  });

  it("has no CPU online, or names none", () => {
    const masks = deriveMasks({ options: auto, topology: { numaNodes: [], offline: [] }, hasSiblings: true });
    expect(masks).toMatchObject({ type: "refused", reason: "NoCpus", exitCode: 1 });
  });
});
