import * as fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { cpuSet } from "./cpu-set.ts";
import type { CpuTopology } from "./cpu-topology.ts";
import { formatTopology, parseTopology } from "./topology-text.ts";

/** Any machine: CPUs dealt out to cores, cores to nodes, and the rest off. */
const topologies: fc.Arbitrary<CpuTopology> = fc
  .record({
    order: fc.shuffledSubarray(Array.from({ length: 64 }, (_, cpu) => cpu)),
    threads: fc.integer({ min: 1, max: 8 }),
    nodes: fc.uniqueArray(
      fc.record({ id: fc.nat({ max: 1023 }), memoryKiB: fc.option(fc.nat(), { nil: undefined }) }),
      {
        selector: ({ id }) => id,
        maxLength: 6,
      },
    ),
    off: fc.nat({ max: 8 }),
    whole: fc.option(fc.nat(), { nil: undefined }),
  })
  .map(({ order, threads, nodes, off, whole }) => {
    const sorted = nodes.toSorted((a, b) => a.id - b.id);
    const numaNodes = sorted.map(({ id, memoryKiB }, index) => {
      const own = order.slice(off).filter((_, at) => at % sorted.length === index);
      const cores = Array.from({ length: Math.ceil(own.length / threads) }, (_, core) => ({
        id: core,
        socket: index,
        cpus: cpuSet(own.slice(core * threads, (core + 1) * threads)),
      })).toSorted((a, b) => (a.cpus[0] ?? 0) - (b.cpus[0] ?? 0));
      return { id, ...(memoryKiB === undefined ? {} : { memoryKiB }), cores };
    });
    const memory = whole === undefined ? {} : { memoryKiB: whole };
    return { numaNodes, offline: cpuSet(order.slice(0, off)), ...memory };
  });

const twoSockets: CpuTopology = {
  numaNodes: [0, 1].map((node) => ({
    id: node,
    memoryKiB: 536_870_912,
    cores: Array.from({ length: 128 }, (_, core) => ({
      id: core,
      socket: node,
      cpus: [node * 128 + core, 256 + node * 128 + core],
    })),
  })),
  offline: [],
};

describe("a topology as text", () => {
  it("is readable", () => {
    const topology = {
      numaNodes: [
        { id: 0, memoryKiB: 1024, cores: [{ id: 0, socket: 0, cpus: [0, 2] }] },
        { id: 1, cores: [{ id: 3, socket: 1, cpus: [1] }] },
      ],
      offline: [3, 4, 5],
    };
    expect(formatTopology(topology)).toEqual({
      numaNodes: [
        { id: 0, memory: "1024Ki", cores: ["0/0:0,2"] },
        { id: 1, cores: ["1/3:1"] },
      ],
      offline: "3-5",
    });
  });

  it("is read back unchanged", () => {
    fc.assert(
      fc.property(topologies, (topology) => {
        expect(parseTopology(JSON.parse(JSON.stringify(formatTopology(topology))))).toEqual(topology);
      }),
    );
  });

  it("takes 4 KB for 512 CPUs", () => {
    expect(JSON.stringify(formatTopology(twoSockets)).length).toBeLessThan(4200);
  });

  it("may be in any order", () => {
    const { numaNodes, offline } = formatTopology(twoSockets);
    const shuffled = numaNodes.toReversed().map((node) => ({ ...node, cores: node.cores.toReversed() }));
    expect(parseTopology({ numaNodes: shuffled, offline })).toEqual(twoSockets);
  });

  it("may leave out offline CPUs", () => {
    expect(parseTopology({ numaNodes: [] })).toEqual({ numaNodes: [], offline: [] });
  });

  const node = (more: object): object => ({ numaNodes: [{ id: 0, cores: ["0/0:0"], ...more }], offline: "" });
  test.each<[unknown]>([
    [undefined],
    [null],
    ["0"],
    [{}],
    [{ numaNodes: {} }],
    [{ numaNodes: [null] }],
    [{ numaNodes: [{ id: 0 }] }],
    [{ numaNodes: [], offline: 3 }],
    [{ numaNodes: [], offline: "3-" }],
    [{ ...node({}), offline: "0" }],
    [node({ id: -1 })],
    [node({ id: 1.5 })],
    [node({ id: "0" })],
    [node({ id: 1e9 })],
    [node({ memory: 5 })],
    [node({ memory: "5Gi" })],
    [node({ memory: "99999999999999999999Ki" })],
    [node({ cores: "0/0:0" })],
    [node({ cores: [0] })],
    [node({ cores: ["0:0"] })],
    [node({ cores: ["0/0:"] })],
    [node({ cores: ["0/0/0:0"] })],
    [node({ cores: ["0/0:70000"] })],
    [node({ cores: ["0/0:0", "0/1:0"] })],
    [{ numaNodes: [node({}), node({})] }],
    [
      {
        numaNodes: [
          { id: 0, cores: [] },
          { id: 0, cores: [] },
        ],
      },
    ],
  ])("%j is invalid", (text) => {
    expect(parseTopology(text)).toBeUndefined();
  });

  it("is refused without expanding it, if it names more CPUs than there can be", () => {
    const all = "0-65535";
    const again = Array.from({ length: 100_000 }, () => `0/0:${all}`);
    expect(parseTopology(node({ cores: again }))).toBeUndefined();
    const long = Array.from({ length: 100_000 }, () => all).join(",");
    expect(parseTopology({ numaNodes: [], offline: long })?.offline).toHaveLength(65_536);
  });
});
