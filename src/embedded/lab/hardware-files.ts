import { formatMask } from "../../language/cpu/cpu-mask.ts";
import { cpuSet, formatRanges } from "../../language/cpu/cpu-set.ts";
import { type CpuPlace, cpuLayout, numaNodesOf, type Topology } from "./topology.ts";

type File = readonly [path: string, text: string];

export interface HardwareFiles {
  /** Read-only files. */
  readonly facts: readonly File[];
  readonly files: readonly File[];
  readonly links: readonly File[];
}

const cpuFolder = "/sys/devices/system/cpu";
const nodeFolder = "/sys/devices/system/node";

/** In KiB; the sizes of kernels with 4 KiB pages. */
const pageSizes = { amd64: [2048, 1_048_576], arm64: [64, 2048, 32_768, 1_048_576] };

/** The kernel's files about CPUs, memory and huge pages, all consistent with the topology. */
export function hardwareFiles(topology: Topology): HardwareFiles {
  const layout = cpuLayout(topology);
  const nodes = numbers(numaNodesOf(topology));
  const parts = [
    cpuFiles(topology, layout),
    memoryFiles(topology, layout),
    ...nodes.map((node) => nodeFiles(topology, layout, node)),
  ];
  return {
    facts: parts.flatMap(({ facts }) => facts),
    files: parts.flatMap(({ files }) => files),
    links: parts.flatMap(({ links }) => links),
  };
}

function cpuFiles({ cpus, sockets = 1, architecture }: Topology, layout: readonly CpuPlace[]): HardwareFiles {
  const all = listed(numbers(cpus));
  const packages = numbers(sockets).map((socket) => {
    const own = layout.flatMap((place, cpu) => (place.socket === socket ? [cpu] : []));
    return { list: listed(own), threads: own.length, cores: new Set(own.map((cpu) => layout[cpu])).size };
  });
  const facts: File[] = ["online", "possible", "present"].map((name) => [`${cpuFolder}/${name}`, all]);
  facts.push([`${cpuFolder}/offline`, "\n"]);
  let cpuinfo = "";
  for (const [cpu, { socket, core, threads }] of layout.entries()) {
    const folder = `${cpuFolder}/cpu${cpu}/topology`;
    const own = packages[socket] ?? { list: "", threads: 0, cores: 0 };
    facts.push(
      [`${folder}/physical_package_id`, `${socket}\n`],
      [`${folder}/core_id`, `${core}\n`],
      // Each under its old and its new name.
      ...["thread_siblings_list", "core_cpus_list"].map((name): File => [`${folder}/${name}`, listed(threads)]),
      ...["core_siblings_list", "package_cpus_list"].map((name): File => [`${folder}/${name}`, own.list]),
    );
    cpuinfo +=
      architecture === "amd64"
        ? `processor\t: ${cpu}\nvendor_id\t: GenuineIntel\nphysical id\t: ${socket}\nsiblings\t: ${own.threads}\n` +
          `core id\t\t: ${core}\ncpu cores\t: ${own.cores}\nflags\t\t: fpu tsc hwp hwp_epp\n\n`
        : `processor\t: ${cpu}\nCPU implementer\t: 0x41\nFeatures\t: fp asimd\n\n`;
  }
  facts.push(["/proc/cpuinfo", cpuinfo]);
  if (architecture === "amd64") facts.push(["/sys/devices/cpu/caps/pmu_name", "icelake\n"]);
  const everywhere = `${formatMask(numbers(cpus))}\n`;
  const queues = ["", "/writeback"].map((of): File => [`/sys/devices/virtual/workqueue${of}/cpumask`, everywhere]);
  return {
    facts,
    files: queues,
    links: [["/sys/bus/workqueue/devices/writeback", "/sys/devices/virtual/workqueue/writeback"]],
  };
}

/** Of the whole machine. */
function memoryFiles(topology: Topology, layout: readonly CpuPlace[]): HardwareFiles {
  const pages = pagesOf(topology);
  const all = listed(numbers(numaNodesOf(topology)));
  const withCpus = listed(cpuSet(layout.map(({ numaNode }) => numaNode)));
  const ofDefaultSize = pages.find(([size]) => size === 2048)?.[1] ?? 0;
  const { facts, files } = pageFiles("/sys/kernel/mm/hugepages", pages);
  return {
    facts: [
      ...facts,
      ["/proc/meminfo", `${meminfo("", topology.memoryMiB, pages)}Hugepagesize:       2048 kB\n`],
      ...["online", "possible", "has_memory", "has_normal_memory"].map((name): File => [`${nodeFolder}/${name}`, all]),
      [`${nodeFolder}/has_cpu`, withCpus],
    ],
    files: [...files, ["/proc/sys/vm/nr_hugepages", `${ofDefaultSize}\n`]],
    links: [],
  };
}

/** Of one memory node, with its share of CPUs, memory and huge pages. */
function nodeFiles(topology: Topology, layout: readonly CpuPlace[], node: number): HardwareFiles {
  const folder = `${nodeFolder}/node${node}`;
  const nodes = numaNodesOf(topology);
  const cpus = layout.flatMap(({ numaNode }, cpu) => (numaNode === node ? [cpu] : []));
  const pages = pagesOf(topology).map(([size, count]): Pages => [size, share(count, nodes, node)]);
  const distances = numbers(nodes).map((other) => (other === node ? 10 : 20));
  const { facts, files } = pageFiles(`${folder}/hugepages`, pages);
  return {
    facts: [
      ...facts,
      [`${folder}/cpulist`, listed(cpus)],
      [`${folder}/distance`, `${distances.join(" ")}\n`],
      [`${folder}/meminfo`, meminfo(`Node ${node} `, share(topology.memoryMiB, nodes, node), pages)],
    ],
    files,
    links: cpus.map((cpu): File => [`${folder}/cpu${cpu}`, `${cpuFolder}/cpu${cpu}`]),
  };
}

type Pages = readonly [sizeKiB: number, count: number];

/** The number of pages of each size, 0 included. */
function pagesOf({ architecture, hugepages }: Topology): Pages[] {
  const sizes = cpuSet([...pageSizes[architecture], ...(hugepages?.keys() ?? [])]);
  return sizes.map((size) => [size, hugepages?.get(size) ?? 0]);
}

function pageFiles(folder: string, pages: readonly Pages[]): Pick<HardwareFiles, "facts" | "files"> {
  return {
    facts: pages.flatMap(([size, count]): File[] => [
      [`${folder}/hugepages-${size}kB/free_hugepages`, `${count}\n`],
      [`${folder}/hugepages-${size}kB/surplus_hugepages`, "0\n"],
    ]),
    files: pages.map(([size, count]): File => [`${folder}/hugepages-${size}kB/nr_hugepages`, `${count}\n`]),
  };
}

function meminfo(prefix: string, mebibytes: number, pages: readonly Pages[]): string {
  const held = pages.reduce((sum, [size, count]) => sum + size * count, 0);
  const free = Math.max(0, mebibytes * 1024 - held);
  return `${prefix}MemTotal:       ${mebibytes * 1024} kB\n${prefix}MemFree:        ${free} kB\n`;
}

/** The share of one of several; the first ones get the remainder. */
function share(whole: number, among: number, which: number): number {
  return Math.floor(whole / among) + (which < whole % among ? 1 : 0);
}

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}

function listed(cpus: readonly number[]): string {
  return `${formatRanges(cpus)}\n`;
}
