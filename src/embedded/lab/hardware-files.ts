import { formatMask } from "../../language/cpu/cpu-mask.ts";
import { cpuSet, formatRanges } from "../../language/cpu/cpu-set.ts";
import { hugePageFiles, isPageCount, pagesByNode } from "./huge-page-files.ts";
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
  // Lists that boot arguments and switches change.
  for (const name of ["offline", "isolated", "nohz_full"]) facts.push([`${cpuFolder}/${name}`, "\n"]);
  let cpuinfo = "";
  const cachedWith = sharedCaches(layout);
  for (const [cpu, place] of layout.entries()) {
    const { socket, core, threads } = place;
    const folder = `${cpuFolder}/cpu${cpu}/topology`;
    const own = packages[socket] ?? { list: "", threads: 0, cores: 0 };
    facts.push(
      [`${folder}/physical_package_id`, `${socket}\n`],
      [`${folder}/core_id`, `${core}\n`],
      // Each under its old and its new name.
      ...["thread_siblings_list", "core_cpus_list"].map((name): File => [`${folder}/${name}`, listed(threads)]),
      ...["core_siblings_list", "package_cpus_list"].map((name): File => [`${folder}/${name}`, own.list]),
      ...cacheFiles(`${cpuFolder}/cpu${cpu}/cache/index3`, cachedWith(place)),
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
  // The first CPU has no switch.
  const switches = numbers(cpus).slice(1);
  return {
    facts,
    files: [...queues, ...switches.map((cpu): File => [`${cpuFolder}/cpu${cpu}/online`, "1\n"])],
    links: [["/sys/bus/workqueue/devices/writeback", "/sys/devices/virtual/workqueue/writeback"]],
  };
}

/** The CPUs of a socket that have the same memory node share the last cache: a list for each CPU. */
function sharedCaches(layout: readonly CpuPlace[]): (place: CpuPlace) => string {
  const keyOf = ({ socket, numaNode }: CpuPlace): string => `${socket}/${numaNode}`;
  const groups = new Map<string, number[]>();
  for (const [cpu, place] of layout.entries()) {
    const group = groups.get(keyOf(place));
    if (group) group.push(cpu);
    else groups.set(keyOf(place), [cpu]);
  }
  const lists = new Map(Array.from(groups, ([key, cpus]) => [key, listed(cpus)]));
  return (place) => lists.get(keyOf(place)) ?? "";
}

/** Smaller caches belong to one core each. */
function cacheFiles(folder: string, sharedBy: string): File[] {
  return [
    [`${folder}/level`, "3\n"],
    [`${folder}/type`, "Unified\n"],
    [`${folder}/size`, "32768K\n"],
    [`${folder}/shared_cpu_list`, sharedBy],
  ];
}

/** Of the whole machine. */
function memoryFiles(topology: Topology, layout: readonly CpuPlace[]): HardwareFiles {
  const all = listed(numbers(numaNodesOf(topology)));
  const withCpus = listed(cpuSet(layout.map(({ numaNode }) => numaNode)));
  const pages = hugePageFiles(topology, pagesByNode(topology));
  return {
    facts: [
      ...pages.filter(([path]) => !isPageCount(path)),
      ...["online", "possible", "has_memory", "has_normal_memory"].map((name): File => [`${nodeFolder}/${name}`, all]),
      [`${nodeFolder}/has_cpu`, withCpus],
    ],
    files: pages.filter(([path]) => isPageCount(path)),
    links: [],
  };
}

/** Of one memory node, with its share of CPUs. */
function nodeFiles(topology: Topology, layout: readonly CpuPlace[], node: number): HardwareFiles {
  const folder = `${nodeFolder}/node${node}`;
  const cpus = layout.flatMap(({ numaNode }, cpu) => (numaNode === node ? [cpu] : []));
  const distances = numbers(numaNodesOf(topology)).map((other) => (other === node ? 10 : 20));
  return {
    facts: [
      [`${folder}/cpulist`, listed(cpus)],
      [`${folder}/distance`, `${distances.join(" ")}\n`],
    ],
    files: [],
    links: cpus.map((cpu): File => [`${folder}/cpu${cpu}`, `${cpuFolder}/cpu${cpu}`]),
  };
}

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}

function listed(cpus: readonly number[]): string {
  return `${formatRanges(cpus)}\n`;
}
