import { formatRanges, union } from "../cpu-set.ts";
import { type CpuTopology, onlineCpus } from "../cpu-topology.ts";
import type { FileView } from "../read-topology.ts";

/** The files in which a kernel shows a machine. Links lead to other paths. */
export interface TopologyFiles {
  readonly files: Map<string, string>;
  readonly links: Map<string, string>;
}

/** `siblings`: whether the kernel lists the threads of a core; old kernels have only core ids. */
export function topologyFiles(topology: CpuTopology, { siblings = true } = {}): TopologyFiles {
  const files = new Map<string, string>();
  const links = new Map<string, string>();
  const cpu = (id: number): string => `/sys/devices/system/cpu/cpu${id}`;
  const processors: string[] = [];
  for (const { id: node, memoryKiB, cores } of topology.numaNodes) {
    const folder = `/sys/devices/system/node/node${node}`;
    files.set(`${folder}/cpulist`, `${formatRanges(onlineCpus({ numaNodes: [{ id: node, cores }], offline: [] }))}\n`);
    if (memoryKiB !== undefined) files.set(`${folder}/meminfo`, `Node ${node} MemTotal:  ${memoryKiB} kB\n`);
    for (const { id, socket, cpus } of cores)
      for (const thread of cpus) {
        links.set(`${folder}/cpu${thread}`, cpu(thread));
        files.set(`${cpu(thread)}/online`, "1\n");
        files.set(`${cpu(thread)}/topology/physical_package_id`, `${socket}\n`);
        files.set(`${cpu(thread)}/topology/core_id`, `${id}\n`);
        if (siblings) files.set(`${cpu(thread)}/topology/thread_siblings_list`, `${formatRanges(cpus)}\n`);
        processors.push(`processor\t: ${thread}\nphysical id\t: ${socket}\ncore id\t\t: ${id}\n`);
      }
  }
  for (const id of topology.offline) files.set(`${cpu(id)}/online`, "0\n");
  files.set("/sys/devices/system/cpu/offline", `${formatRanges(topology.offline)}\n`);
  files.set("/sys/devices/system/cpu/present", `${formatRanges(union(onlineCpus(topology), topology.offline))}\n`);
  files.set("/proc/cpuinfo", processors.join("\n"));
  return { files, links };
}

/** Links are not followed: readTopology uses only their names. */
export function viewOf({ files, links }: TopologyFiles): FileView {
  const folders = new Map<string, Set<string>>();
  for (const path of [...files.keys(), ...links.keys()]) {
    const names = path.split("/");
    for (let depth = 1; depth < names.length; depth++) {
      const folder = names.slice(0, depth).join("/");
      const within = folders.get(folder) ?? new Set();
      folders.set(folder, within.add(names[depth] ?? ""));
    }
  }
  return { read: (path) => files.get(path), list: (path) => [...(folders.get(path) ?? [])] };
}
