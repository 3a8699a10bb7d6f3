import { describe, expect, it } from "vitest";
import type { CpuTopology } from "../../../language/cpu/cpu-topology.ts";
import { LayoutTexts, layoutsOf } from "./layouts.ts";
import { machine, node } from "./testing/case.ts";

describe("LayoutTexts", () => {
  it("writes the text of machines that share their cores once", () => {
    const topology = machine();
    let reads = 0;
    const cores = topology.numaNodes[0]!.cores.map(({ cpus, ...core }) => ({
      ...core,
      get cpus() {
        reads++;
        return cpus;
      },
    }));
    const shared = { ...topology, numaNodes: [{ id: 0, cores }] };
    const texts = new LayoutTexts();
    const text = texts.of(shared);
    expect(reads).toBe(cores.length);
    expect(texts.of({ ...shared, numaNodes: [{ id: 0, memoryKiB: 4, cores }] })).toBe(text);
    expect(reads).toBe(cores.length);
  });

  it.each<[string, (topology: CpuTopology) => CpuTopology]>([
    ["another offline CPU", (topology) => ({ ...topology, offline: [9] })],
    [
      "another number of a NUMA node",
      ({ numaNodes, offline }) => ({ numaNodes: numaNodes.map((one) => ({ ...one, id: one.id + 1 })), offline }),
    ],
    ["one NUMA node less", ({ numaNodes, offline }) => ({ numaNodes: numaNodes.slice(0, 1), offline })],
  ])("differ by %s, also where cores are shared", (_, differing) => {
    const topology = machine();
    const texts = new LayoutTexts();
    expect(texts.of(differing(topology))).not.toBe(texts.of(topology));
  });
});

describe("layoutsOf", () => {
  it("joins nodes with equal topologies, shared or not", () => {
    const nodes = [node("a"), node("b"), node("c", { topology: machine({ cores: 4 }) })];
    expect(layoutsOf(nodes).map(({ nodes }) => nodes)).toEqual([["a", "b"], ["c"]]);
  });
});
