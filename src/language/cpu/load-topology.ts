import type { CpuTopology } from "./cpu-topology.ts";
import type { FileSource, FileView } from "./file-view.ts";
import { cpuFolder, idsAmong, nodeFolder, readTopology } from "./read-topology.ts";

/** What a machine is made of, where each look at its files takes time. */
export async function loadTopology(source: FileSource): Promise<CpuTopology> {
  return readTopology(await loadTopologyFiles(source));
}

/** The files that tell it, each read once. */
async function loadTopologyFiles(source: FileSource): Promise<FileView> {
  const [cpus, nodes] = await Promise.all([source.list(cpuFolder), source.list(nodeFolder)]);
  const folders = new Map<string, readonly string[]>([
    [cpuFolder, cpus],
    [nodeFolder, nodes],
  ]);
  const numaNodes = idsAmong(nodes, "node").map((id) => `${nodeFolder}/node${id}`);
  await Promise.all(numaNodes.map(async (folder) => folders.set(folder, await source.list(folder))));
  const paths = [
    "/proc/cpuinfo",
    "/proc/meminfo",
    ...["present", "offline"].map((name) => `${cpuFolder}/${name}`),
    ...numaNodes.flatMap((folder) => [`${folder}/meminfo`, `${folder}/cpulist`]),
    ...idsAmong(cpus, "cpu").flatMap((cpu) => filesOfCpu.map((name) => `${cpuFolder}/cpu${cpu}/${name}`)),
  ];
  const files = new Map<string, string>();
  await Promise.all(
    paths.map(async (path) => {
      const text = await source.read(path);
      if (text !== undefined) files.set(path, text);
    }),
  );
  return { read: (path) => files.get(path), list: (path) => folders.get(path) ?? [] };
}

const filesOfCpu = [
  "online",
  "topology/physical_package_id",
  "topology/core_id",
  "topology/core_cpus_list",
  "topology/thread_siblings_list",
];
