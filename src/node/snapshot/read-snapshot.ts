import { architectureOf, type CpuTopology, onlineCpus } from "../../language/cpu/cpu-topology.ts";
import { type FileView, readTopology } from "../../language/cpu/read-topology.ts";
import { ArchiveError } from "./archive-entry.ts";
import { ArchiveView } from "./archive-view.ts";
import { readArchive } from "./read-archive.ts";

/** A machine as a snapshot shows it. */
export interface Snapshot {
  readonly topology: CpuTopology;
  /** As Kubernetes names it. */
  readonly architecture?: string;
}

/** Reads a snapshot of a node: `collect.ts` makes them, and so do others. */
export async function readSnapshot(source: AsyncIterable<Uint8Array>): Promise<Snapshot> {
  const view = new ArchiveView(await readArchive(source, { wanted, limits: { totalBytes: largest } }));
  const topology = readTopology(view);
  if (onlineCpus(topology).length === 0) throw new ArchiveError("no CPU is in it: not a snapshot of a node");
  const architecture = readArchitecture(view);
  return { topology, ...(architecture === undefined ? {} : { architecture }) };
}

/** Kernels before 6.1 do not say it; what they say of processors tells those that matter. */
function readArchitecture(view: FileView): string | undefined {
  const machine = view.read("/proc/sys/kernel/arch")?.trim();
  if (machine) return architectureOf(machine);
  const cpuinfo = view.read("/proc/cpuinfo") ?? "";
  if (/^vendor_id\s*:.*(Intel|AMD|Hygon|Centaur)/m.test(cpuinfo)) return "amd64";
  return /^CPU implementer\s*:/m.test(cpuinfo) ? "arm64" : undefined;
}

/** Fifty times what a large machine takes. */
const largest = 1024 ** 3;

const wantedFiles = new Set(["proc/cpuinfo", "proc/meminfo", "proc/sys/kernel/arch"]);

/** Caches are most of a snapshot, and tell nothing here. */
function wanted(path: string): boolean {
  return wantedFiles.has(path) || (/^sys\/devices\/system\/(cpu|node)\//.test(path) && !path.includes("/cache/"));
}
