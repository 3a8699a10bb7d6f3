import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { CpuTopology } from "./cpu-topology.ts";
import { loadTopology } from "./load-topology.ts";
import { readTopology } from "./read-topology.ts";
import { anyTopology } from "./testing/any-topology.ts";
import { type TopologyFiles, topologyFiles, viewOf } from "./testing/topology-files.ts";

const cpu = "/sys/devices/system/cpu";

describe("readTopology", () => {
  it("is fast for a snapshot that claims more than any machine has", () => {
    const files = new Map<string, string>();
    for (let id = 0; id < 4000; id++) {
      files.set(`${cpu}/cpu${id}/topology/core_cpus_list`, `0-65535,${id}`);
      files.set(`/sys/devices/system/node/node${id}/cpulist`, `0-65535,${id}`);
    }
    files.set(`${cpu}/cpu8192/topology/core_id`, "0");
    const { numaNodes } = readTopology(viewOf({ files, links: new Map() }));
    expect(numaNodes).toHaveLength(4000);
    expect(numaNodes[0]?.cores).toEqual([{ id: 0, socket: 0, cpus: Array.from({ length: 4000 }, (_, id) => id) }]);
  });

  it.each([true, false])("reads the topology of any machine, siblings listed: %s", (siblings) => {
    fc.assert(
      fc.property(anyTopology, (machine) => {
        expect(readTopology(viewOf(topologyFiles(machine, { siblings })))).toEqual(machine);
      }),
      { numRuns: 60 },
    );
  });

  it("reads the same from asynchronous files", async () => {
    const [machine] = fc.sample(anyTopology, { numRuns: 1, seed: 7 }) as [CpuTopology];
    const view = viewOf(topologyFiles(machine));
    const source = { read: async (path: string) => view.read(path), list: async (path: string) => view.list(path) };
    expect(await loadTopology(source)).toEqual(machine);
  });

  it.each<[string, TopologyFiles["files"], CpuTopology]>([
    ["nothing at all", new Map(), { numaNodes: [{ id: 0, cores: [] }], offline: [] }],
    [
      "a kernel without NUMA: one node with all memory",
      new Map([
        [`${cpu}/cpu0/topology/core_id`, "0\n"],
        [`${cpu}/cpu1/topology/core_id`, "1\n"],
        ["/proc/meminfo", "MemTotal:       2048 kB\nMemFree: 1 kB\n"],
      ]),
      { numaNodes: [{ id: 0, memoryKiB: 2048, cores: [core(0, 0), core(1, 1)] }], offline: [], memoryKiB: 2048 },
    ],
    [
      "CPUs without topology: each a core",
      new Map([
        [`${cpu}/cpu0/uevent`, ""],
        [`${cpu}/cpu3/uevent`, ""],
      ]),
      { numaNodes: [{ id: 0, cores: [core(0, 0), core(3, 3)] }], offline: [] },
    ],
    [
      "/proc alone",
      new Map([
        ["/proc/cpuinfo", "processor: 0\ncore id: 5\nphysical id: 1\n\nprocessor: 1\ncore id: 5\nphysical id: 1\n"],
      ]),
      { numaNodes: [{ id: 0, cores: [{ id: 5, socket: 1, cpus: [0, 1] }] }], offline: [] },
    ],
    [
      "ids of cores that repeat in every cluster: siblings decide",
      new Map([
        [`${cpu}/cpu0/topology/core_id`, "0"],
        [`${cpu}/cpu0/topology/core_cpus_list`, "0"],
        [`${cpu}/cpu1/topology/core_id`, "0"],
        [`${cpu}/cpu1/topology/core_cpus_list`, "1"],
      ]),
      { numaNodes: [{ id: 0, cores: [core(0, 0), core(0, 1)] }], offline: [] },
    ],
    [
      "a CPU that is listed as off but has no switch, one that is switched off, and one that is not there",
      new Map([
        [`${cpu}/present`, "0-2"],
        [`${cpu}/offline`, "1-3"],
        [`${cpu}/cpu0/uevent`, ""],
        [`${cpu}/cpu1/uevent`, ""],
        [`${cpu}/cpu2/online`, "0"],
        [`${cpu}/cpu3/uevent`, ""],
      ]),
      { numaNodes: [{ id: 0, cores: [core(0, 0)] }], offline: [1, 2] },
    ],
    [
      "a node of memory only, and a CPU that no node claims",
      new Map([
        [`${cpu}/cpu0/topology/core_id`, "0"],
        [`${cpu}/cpu1/topology/core_id`, "1"],
        ["/sys/devices/system/node/node1/cpulist", "1"],
        ["/sys/devices/system/node/node4/meminfo", "Node 4 MemTotal: 77 kB"],
      ]),
      {
        numaNodes: [
          { id: 1, cores: [core(0, 0), core(1, 1)] },
          { id: 4, memoryKiB: 77, cores: [] },
        ],
        offline: [],
      },
    ],
    [
      "invalid texts",
      new Map([
        [`${cpu}/cpu0/topology/core_id`, "many"],
        [`${cpu}/cpu0/topology/core_cpus_list`, "0-4294967295"],
        [`${cpu}/cpu99999/online`, "1"],
        [`${cpu}/cpu01/online`, "1"],
        [`${cpu}/cpufreq/boost`, "1"],
        ["/sys/devices/system/node/node0/meminfo", "MemTotal: lots"],
      ]),
      { numaNodes: [{ id: 0, cores: [core(0, 0)] }], offline: [] },
    ],
  ])("reads %s", (_, files, expected) => {
    expect(readTopology(viewOf({ files, links: new Map() }))).toEqual(expected);
  });
});

function core(id: number, cpu0: number): { id: number; socket: number; cpus: number[] } {
  return { id, socket: 0, cpus: [cpu0] };
}
