import { describe, expect, test } from "vitest";
import { formatRanges } from "../../language/cpu/cpu-set.ts";
import { coresOf, onlineCpus } from "../../language/cpu/cpu-topology.ts";
import { loadTopology } from "../../language/cpu/load-topology.ts";
import type { MemoryHost } from "../../node/host/memory-host.ts";
import { machine } from "./machine.ts";
import { machineBase, smallMachine } from "./machine-base.ts";
import type { Topology } from "./topology.ts";

const text = async (host: MemoryHost, path: string): Promise<string | undefined> => {
  const file = await host.read(path);
  return file.type === "text" ? file.text.trimEnd() : undefined;
};

const topologyOf = (host: MemoryHost) =>
  loadTopology({ read: (path) => text(host, path), list: (path) => host.list(path) });

const big: Topology = {
  ...smallMachine,
  cpus: 16,
  memoryMiB: 32_769,
  sockets: 2,
  threadsPerCore: 2,
  hugepages: new Map([[1_048_576, 3]]),
};

describe("the hardware of a machine", () => {
  test.each<{ name: string; topology: Partial<Topology>; cores: string[][] }>([
    { name: "one of four cores", topology: {}, cores: [["0/0:0", "0/1:1", "0/2:2", "0/3:3"]] },
    {
      name: "two sockets with two threads a core",
      topology: { cpus: 8, sockets: 2, threadsPerCore: 2 },
      cores: [
        ["0/0:0,4", "0/1:1,5"],
        ["1/0:2,6", "1/1:3,7"],
      ],
    },
    {
      name: "a socket with two memory nodes",
      topology: { numaNodes: 2 },
      cores: [
        ["0/0:0", "0/1:1"],
        ["0/2:2", "0/3:3"],
      ],
    },
    {
      name: "two sockets without memory nodes of their own",
      topology: { sockets: 2, numaNodes: 1 },
      cores: [["0/0:0", "0/1:1", "1/0:2", "1/1:3"]],
    },
    {
      name: "CPUs that do not divide",
      topology: { cpus: 5, sockets: 2 },
      cores: [
        ["0/0:0", "0/1:1"],
        ["1/0:2", "1/1:3", "1/2:4"],
      ],
    },
    { name: "a memory node without CPUs", topology: { cpus: 1, numaNodes: 2 }, cores: [[], ["0/0:0"]] },
    { name: "arm64", topology: { architecture: "arm64", cpus: 2, sockets: 2 }, cores: [["0/0:0"], ["1/0:1"]] },
  ])("$name", async ({ topology, cores }) => {
    const { numaNodes, offline } = await topologyOf(machine(machineBase({ ...smallMachine, ...topology })));
    const found = numaNodes.map((node) =>
      node.cores.map(({ socket, id, cpus }) => `${socket}/${id}:${formatRanges(cpus)}`),
    );
    expect(found).toEqual(cores);
    expect(offline).toEqual([]);
    expect(numaNodes.reduce((sum, { memoryKiB = 0 }) => sum + memoryKiB, 0)).toBe(8192 * 1024);
  });

  test("is the same in all files", async () => {
    const host = machine(machineBase(big));
    const cpus = "/sys/devices/system/cpu";
    const nodes = "/sys/devices/system/node";
    const topology = await topologyOf(host);
    expect(await text(host, `${cpus}/online`)).toBe(formatRanges(onlineCpus(topology)));
    expect(await text(host, `${nodes}/online`)).toBe("0-1");
    for (const { socket, id, cpus: threads } of coresOf(topology))
      for (const cpu of threads) {
        const folder = `${cpus}/cpu${cpu}/topology`;
        expect(await text(host, `${folder}/thread_siblings_list`)).toBe(threads.join(","));
        expect(await text(host, `${folder}/core_id`)).toBe(`${id}`);
        expect(await text(host, `${folder}/package_cpus_list`)).toBe(socket === 0 ? "0-3,8-11" : "4-7,12-15");
      }
    expect(await text(host, "/proc/cpuinfo")).toMatch(/processor\t: 13\n[^]*?physical id\t: 1\n[^]*?core id\t\t: 1\n/);
    expect(await host.list(`${nodes}/node1`)).toEqual(expect.arrayContaining(["cpu4", "cpu15", "meminfo"]));
    expect(await text(host, `${nodes}/node1/cpu12/topology/core_id`)).toBe("0");
    expect(await text(host, `${nodes}/node1/distance`)).toBe("20 10");
  });

  test("has the huge pages of each size divided among memory nodes", async () => {
    const host = machine(machineBase(big));
    const counts = async (folder: string): Promise<string[]> =>
      Promise.all(
        (await host.list(folder)).map(async (size) => `${size} ${await text(host, `${folder}/${size}/nr_hugepages`)}`),
      );
    expect(await counts("/sys/kernel/mm/hugepages")).toEqual(["hugepages-1048576kB 3", "hugepages-2048kB 0"]);
    expect(await counts("/sys/devices/system/node/node0/hugepages")).toContain("hugepages-1048576kB 2");
    expect(await counts("/sys/devices/system/node/node1/hugepages")).toContain("hugepages-1048576kB 1");
    expect(await text(host, "/sys/devices/system/node/node0/meminfo")).toBe(
      "Node 0 MemTotal:       16778240 kB\nNode 0 MemFree:        14681088 kB",
    );
    const arm = machine(machineBase({ ...smallMachine, architecture: "arm64" }));
    expect(await arm.list("/sys/kernel/mm/hugepages")).toHaveLength(4);
    expect(await arm.run(["uname", "-m"])).toMatchObject({ stdout: "aarch64\n" });
  });

  test("has fewer CPUs online when one is switched off", async () => {
    const host = machine(machineBase({ ...smallMachine, threadsPerCore: 2 }));
    host.put("/sys/devices/system/cpu/cpu3/online", "0\n");
    const { numaNodes, offline } = await topologyOf(host);
    expect(numaNodes[0]?.cores.map(({ cpus }) => cpus)).toEqual([[0, 2], [1]]);
    expect(offline).toEqual([3]);
  });
});
