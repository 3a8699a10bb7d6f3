import type { Surroundings } from "../../surroundings.ts";
import { type Case, machine, node } from "./case.ts";

const arm: Partial<Surroundings> = { nodes: [node("worker-0", { architecture: "arm64" })] };
const power: Partial<Surroundings> = { nodes: [node("worker-0", { architecture: "ppc64le" })] };
const pages = (...list: unknown[]) => ({ hugepages: { defaultHugepagesSize: "1G", pages: list } });

export const pageCases: readonly Case[] = [
  {
    what: "pages of 64k on amd64",
    spec: { kernelPageSize: "64k" },
    cluster: {},
    finds: [["KernelPageSizeUnsupported", "spec.kernelPageSize", 'supported values: "4k"']],
  },
  { what: "pages of 64k on arm64", spec: { kernelPageSize: "64k" }, cluster: arm, finds: [] },
  { what: "pages of 64k on unknown nodes", spec: { kernelPageSize: "64k" }, finds: [] },
  {
    what: "pages of 64k for the real-time kernel of arm64",
    spec: { kernelPageSize: "64k", realTimeKernel: { enabled: true } },
    cluster: arm,
    finds: [["RealTimeKernelWith64kPages", "spec.kernelPageSize"]],
  },
  {
    what: "pages of 64k for the real-time kernel of unknown nodes",
    spec: { kernelPageSize: "64k", realTimeKernel: { enabled: true } },
    finds: [["KernelPageSizeIgnored", "spec.kernelPageSize"]],
  },
  ...sizes("amd64", {}, {}, ["2M", "1G"]),
  ...sizes("arm64", {}, arm, ["64k", "2M", "32M", "1G"]),
  ...sizes("arm64 with pages of 4k", { kernelPageSize: "4k" }, arm, ["64k", "2M", "32M", "1G"]),
  ...sizes("arm64 with pages of 64k", { kernelPageSize: "64k" }, arm, ["2M", "512M", "16G"]),
  ...sizes("another architecture", {}, power, ["64k", "2M", "32M", "512M", "1G", "16G"]),
  ...sizes("unknown nodes", {}, "none", ["64k", "2M", "32M", "512M", "1G", "16G"]),
  {
    what: "a size that only looks like one",
    spec: { hugepages: { defaultHugepagesSize: "1g", pages: [{ size: "2m", count: 1 }] } },
    finds: [
      ["HugepageSizeUnsupported", "spec.hugepages.defaultHugepagesSize", '"1g"'],
      ["HugepageSizeUnsupported", "spec.hugepages.pages[0].size", '"2m"'],
    ],
  },
  {
    what: "pages of one size twice",
    spec: pages({ size: "2M", count: 1 }, { size: "1G", count: 1 }, { size: "2M", count: 2 }),
    finds: [["HugepagesRepeated", "spec.hugepages.pages[2]", '"2M"']],
  },
  {
    what: "pages of one size twice on a NUMA node",
    spec: pages({ size: "2M", node: 1 }, { size: "2M", node: 0 }, { size: "2M" }, { size: "2M", node: 1 }),
    finds: [["HugepagesRepeated", "spec.hugepages.pages[3]", "2M on NUMA node 1"]],
  },
  {
    what: "the place of pages beside invalid ones",
    spec: pages({ size: "huge" }, { size: "1G" }, { size: "1G" }),
    finds: [
      ["HugepageSizeMalformed", "spec.hugepages.pages[0].size"],
      ["HugepagesRepeated", "spec.hugepages.pages[2]"],
    ],
  },
  {
    what: "pages on a NUMA node that one machine lacks",
    spec: pages({ size: "1G", count: 1, node: 1 }),
    cluster: {
      nodes: [
        node("worker-0"),
        node("worker-1", { topology: { ...machine(), numaNodes: machine().numaNodes.slice(0, 1) } }),
      ],
    },
    finds: [
      ["CpuCountsDiffer", "spec.nodeSelector"],
      ["CpuDoesNotExist", "spec.cpu.isolated"],
      ["NumaNodeDoesNotExist", "spec.hugepages.pages[0].node", "Not found: 1: worker-1 has no such NUMA node"],
    ],
  },
  {
    what: "more pages than a NUMA node has memory",
    spec: pages({ size: "1G", count: 17, node: 0 }),
    cluster: {},
    finds: [
      [
        "HugepagesExceedMemory",
        "spec.hugepages.pages[0]",
        "17 GiB on NUMA node 0 are more than worker-0 and worker-1 have: 16 GiB",
      ],
    ],
  },
  {
    what: "pages of two sizes that together are more than a NUMA node has",
    spec: pages({ size: "1G", count: 10, node: 1 }, { size: "2M", count: 4096, node: 1 }),
    cluster: {},
    finds: [["HugepagesExceedMemory", "spec.hugepages.pages", "18 GiB on NUMA node 1"]],
  },
  {
    what: "more pages than the smaller machine has memory",
    spec: pages({ size: "1G", count: 33 }),
    cluster: { nodes: [node("worker-0", { topology: machine({ memory: 32 }) }), node("worker-1")] },
    finds: [
      ["HugepagesExceedMemory", "spec.hugepages.pages[0]", "33 GiB of huge pages are more than worker-1 has: 32 GiB"],
    ],
  },
  {
    what: "more pages than either a NUMA node or the machine has memory",
    spec: pages({ size: "1G", count: 40, node: 0 }),
    cluster: {},
    finds: [["HugepagesExceedMemory", "spec.hugepages.pages[0]", "40 GiB on NUMA node 0"]],
  },
  {
    what: "pages on a machine whose memory is counted differently",
    spec: pages({ size: "1G", count: 1 }),
    cluster: {
      nodes: [
        // Firmware and the kernel keep a little for themselves.
        node("worker-0", { topology: { ...machine(), memoryKiB: 33_300_000 }, memoryKiB: 33_300_000 }),
        node("worker-1", { topology: { ...machine(), memoryKiB: 2 ** 24 }, memoryKiB: 2 ** 23 }),
        node("worker-2", { topology: machine(), memoryKiB: 2 ** 26 }),
      ],
    },
    finds: [
      [
        "MemoryDisagrees",
        "spec.hugepages.pages[0]",
        "of worker-1 is 32 GiB by its NUMA nodes in /sys, 16 GiB by /proc/meminfo and 8 GiB by the capacity of its kubelet",
      ],
      [
        "MemoryDisagrees",
        "spec.hugepages.pages[0]",
        "of worker-2 is 32 GiB by its NUMA nodes in /sys and 64 GiB by the",
      ],
    ],
  },
  {
    what: "no pages on a machine whose memory is counted differently",
    cluster: { nodes: [node("worker-0", { memoryKiB: 2 ** 20 }), node("worker-1")] },
    finds: [],
  },
  {
    what: "pages that leave little memory of a NUMA node",
    spec: pages({ size: "1G", count: 15, node: 1 }),
    cluster: {},
    finds: [
      [
        "HugepagesLeaveLittle",
        "spec.hugepages.pages[0]",
        "15 GiB on NUMA node 1 leave only 1 GiB of worker-0 and worker-1",
      ],
    ],
  },
  {
    what: "pages that leave little memory of a machine",
    spec: pages({ size: "1G", count: 14, node: 0 }, { size: "1G", count: 15 }),
    cluster: { nodes: [node("worker-0")] },
    finds: [["HugepagesLeaveLittle", "spec.hugepages.pages", "29 GiB of huge pages leave only 3 GiB of worker-0"]],
  },
  {
    what: "pages on nodes with unknown memory",
    spec: pages({ size: "1G", count: 1000, node: 0 }),
    cluster: { nodes: [node("worker-0", { topology: forgetful() })] },
    finds: [],
  },
];

/** Each size that there is, on nodes that know some of them. */
function sizes(where: string, spec: object, cluster: Case["cluster"], supported: readonly string[]): Case[] {
  return ["64k", "2M", "32M", "512M", "1G", "16G", "3M"].map((size) => ({
    what: `pages of ${size} on ${where}`,
    spec: { ...spec, hugepages: { defaultHugepagesSize: size } },
    cluster: cluster ?? "none",
    finds: supported.includes(size)
      ? []
      : [["HugepageSizeUnsupported", "spec.hugepages.defaultHugepagesSize", `supported values: "${supported[0]}"`]],
  }));
}

function forgetful() {
  return { ...machine(), numaNodes: machine().numaNodes.map(({ id, cores }) => ({ id, cores })) };
}
