import { describe, expect, it } from "vitest";
import { parseTopology } from "../../../language/cpu/topology-text.ts";
import { compareHardware, type Machine } from "./compare-hardware.ts";

const a = machine("a", [
  ["0/0:0,4", "0/1:1,5"],
  ["1/0:2,6", "1/1:3,7"],
]);

describe("compareHardware", () => {
  it.each<[string, Machine, string]>([
    ["architecture", { ...a, architecture: "arm64" }, "architecture: amd64 on node a, arm64 on node b"],
    ["NUMA", machine("b", [["0/0:0,4", "0/1:1,5"]]), "NUMA nodes: 0-1 on node a, 0 on node b"],
    [
      "number of cores",
      machine("b", [["0/0:0,4"], ["1/0:2,6", "1/1:3,7"]]),
      "number of cores on NUMA node 0: 2 on node a, 1 on node b",
    ],
    [
      "threads",
      machine("b", [
        ["0/0:0,4", "0/1:1,5"],
        ["1/0:2", "1/1:3"],
      ]),
      "threads per core on NUMA node 1: 2 on node a, 1 on node b",
    ],
    [
      "CPUs",
      machine("b", [
        ["0/0:0,4", "0/1:1,5"],
        ["1/0:2,6", "1/1:3,8"],
      ]),
      "CPUs on NUMA node 1: 2-3,6-7 on node a, 2-3,6,8 on node b",
    ],
    [
      "siblings",
      machine("b", [
        ["0/0:0,5", "0/1:1,4"],
        ["1/0:2,6", "1/1:3,7"],
      ]),
      "threads of a core on NUMA node 0: 0,4 on node a, 0,5 on node b",
    ],
  ])("refuses nodes that differ in %s", (_, other, message) => {
    expect(compareHardware([a, a, { ...other, name: "b" }])).toEqual({ errors: [message], warnings: [] });
  });

  it("only warns about different core ids", () => {
    const other = machine("b", [
      ["0/0:0,4", "0/9:1,5"],
      ["1/0:2,6", "1/1:3,7"],
    ]);
    expect(compareHardware([a, other])).toEqual({
      errors: [],
      warnings: ["core ids on NUMA node 0: 0/0 0/1 on node a, 0/0 0/9 on node b"],
    });
  });

  it("ignores unknown architectures, and compares nothing for a single node", () => {
    const { architecture: _, ...unknown } = a;
    expect(compareHardware([a, unknown]).errors).toEqual([]);
    expect(compareHardware([]).errors).toEqual([]);
  });
});

function machine(name: string, nodes: readonly string[][]): Machine {
  const topology = parseTopology({ numaNodes: nodes.map((cores, id) => ({ id, cores })) });
  if (!topology) throw new Error("no topology");
  return { name, architecture: "amd64", topology };
}
