import { cpuSet } from "../../language/cpu/cpu-set.ts";
import { numaNodesOf, type Topology } from "./topology.ts";

type File = readonly [path: string, text: string];
type Pages = readonly [sizeKiB: number, count: number];

const nodeFolder = "/sys/devices/system/node";
const defaultPath = "/proc/sys/vm/nr_hugepages";

/** In KiB; the sizes of kernels with 4 KiB pages. */
const pageSizes = { amd64: [2048, 1_048_576], arm64: [64, 2048, 32_768, 1_048_576] };

/** The number of pages of each size on each memory node, 0 included. The kernel spreads those of the whole machine. */
export function pagesByNode(topology: Topology): readonly (readonly Pages[])[] {
  const { architecture, hugepages } = topology;
  const sizes = cpuSet([...pageSizes[architecture], ...(hugepages?.keys() ?? [])]);
  const nodes = numaNodesOf(topology);
  return Array.from({ length: nodes }, (_, node) =>
    sizes.map((size): Pages => [size, share(hugepages?.get(size) ?? 0, nodes, node)]),
  );
}

/** The kernel's files about memory and huge pages. */
export function hugePageFiles(
  topology: Topology,
  byNode: readonly (readonly Pages[])[],
  defaultKiB = 2048,
): readonly File[] {
  const nodes = byNode.length;
  const sizes = byNode[0]?.map(([size]) => size) ?? [];
  const whole = sizes.map((size, index): Pages => [size, byNode.reduce((sum, of) => sum + (of[index]?.[1] ?? 0), 0)]);
  const ofDefaultSize = whole.find(([size]) => size === defaultKiB)?.[1] ?? 0;
  return [
    ...pageFiles("/sys/kernel/mm/hugepages", whole),
    ["/proc/meminfo", `${meminfo("", topology.memoryMiB, whole)}Hugepagesize:       ${defaultKiB} kB\n`],
    [defaultPath, `${ofDefaultSize}\n`],
    ...byNode.flatMap((pages, node): File[] => [
      ...pageFiles(`${nodeFolder}/node${node}/hugepages`, pages),
      [`${nodeFolder}/node${node}/meminfo`, meminfo(`Node ${node} `, share(topology.memoryMiB, nodes, node), pages)],
    ]),
  ];
}

/** Whether a write to the file allocates pages; the others only show them. */
export function isPageCount(path: string): boolean {
  return path.endsWith("/nr_hugepages");
}

/** What the kernel shows after a write to a page count: it gives no more than a memory node has. */
export function afterPageWrite(
  topology: Topology,
  path: string,
  { text, read }: { text: string; read: (path: string) => string | undefined },
): readonly File[] {
  const nodes = numaNodesOf(topology);
  const defaultKiB = Number(/^Hugepagesize:\s+(\d+)/m.exec(read("/proc/meminfo") ?? "")?.[1] ?? 2048);
  const written = /^(?:\/sys\/devices\/system\/node\/node(\d+)|\/sys\/kernel\/mm)\/hugepages\/hugepages-(\d+)kB/.exec(
    path,
  );
  const size = path === defaultPath ? defaultKiB : Number(written?.[2]);
  const only = written?.[1] === undefined ? undefined : Number(written[1]);
  const wanted = Number(text.trim());
  const byNode = pagesByNode(topology).map((pages, node) => {
    const now = pages.map(([of]): Pages => [of, Number(read(countPath(node, of)) ?? 0)]);
    if (only !== undefined && only !== node) return now;
    const others = now.reduce((sum, [of, count]) => (of === size ? sum : sum + of * count), 0);
    const room = Math.floor((share(topology.memoryMiB, nodes, node) * 1024 - others) / size);
    const asked = only === undefined ? share(wanted, nodes, node) : wanted;
    return now.map(([of, count]): Pages => [of, of === size ? Math.min(asked, room) : count]);
  });
  return hugePageFiles(topology, byNode, defaultKiB);
}

function countPath(node: number, sizeKiB: number): string {
  return `${nodeFolder}/node${node}/hugepages/hugepages-${sizeKiB}kB/nr_hugepages`;
}

function pageFiles(folder: string, pages: readonly Pages[]): File[] {
  return pages.flatMap(([size, count]): File[] => [
    [`${folder}/hugepages-${size}kB/free_hugepages`, `${count}\n`],
    [`${folder}/hugepages-${size}kB/surplus_hugepages`, "0\n"],
    [`${folder}/hugepages-${size}kB/nr_hugepages`, `${count}\n`],
  ]);
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
