import type { CpuTopology } from "./cpu-topology.ts";
import { cpuFolder, type FileView, idsAmong, nodeFolder, readTopology } from "./read-topology.ts";

/** Files that are read asynchronously. */
export interface FileSource {
  read(path: string): Promise<string | undefined>;
  list(path: string): Promise<readonly string[]>;
}

/** The CPU topology of a machine whose files are read asynchronously. */
export async function loadTopology(source: FileSource): Promise<CpuTopology> {
  return readTopology(await loadTopologyFiles(source));
}

/** Reads each file that readTopology needs once. */
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
