import fc from "fast-check";
import { cpuSet } from "../cpu-set.ts";
import type { Core, CpuTopology } from "../cpu-topology.ts";

/**
 * Any machine: one to sixteen NUMA nodes, one, two or four threads a core, CPU numbers with gaps, threads of a core numbered
 * consecutively or far apart.
 */
export const anyTopology: fc.Arbitrary<CpuTopology> = fc
  .record({
    nodes: fc.integer({ min: 1, max: 16 }),
    coresPerNode: fc.integer({ min: 1, max: 12 }),
    threads: fc.constantFrom(1, 2, 4),
    nodesPerSocket: fc.constantFrom(1, 2, 4),
    interleaved: fc.boolean(),
    adjacent: fc.boolean(),
    gap: fc.constantFrom(1, 1, 2, 3),
    coreIdStep: fc.constantFrom(1, 4),
    offline: fc.integer({ min: 0, max: 3 }),
  })
  .map((shape) => {
    const { nodes, coresPerNode, threads, gap } = shape;
    const total = nodes * coresPerNode;
    const numaNodes = Array.from({ length: nodes }, (_, node) => {
      const cores = Array.from({ length: coresPerNode }, (_unused, index): Core => {
        const core = shape.interleaved ? index * nodes + node : node * coresPerNode + index;
        const threadOf = (thread: number): number => (shape.adjacent ? core * threads + thread : core + thread * total);
        return {
          id: ((node % shape.nodesPerSocket) * coresPerNode + index) * shape.coreIdStep,
          socket: Math.floor(node / shape.nodesPerSocket),
          cpus: cpuSet(Array.from({ length: threads }, (_none, thread) => threadOf(thread) * gap)),
        };
      });
      return { id: node * gap, memoryKiB: 1024 * (node + 1), cores };
    });
    return { numaNodes, offline: Array.from({ length: shape.offline }, (_, i) => total * threads * gap + i) };
  });
