import { architectureOf, type CpuTopology, onlineCpus } from "../../language/cpu/cpu-topology.ts";
import { type FileView, readTopology } from "../../language/cpu/read-topology.ts";
import { ArchiveError } from "./archive-entry.ts";
import { ArchiveView } from "./archive-view.ts";
import { readArchive } from "./read-archive.ts";

/** The hardware of a node in a snapshot. */
export interface Snapshot {
  readonly topology: CpuTopology;
  /** As Kubernetes names it. */
  readonly architecture?: string | undefined;
}

/** Reads a snapshot of a node, made by `collect.ts` or by another program, such as must-gather. */
export async function readSnapshot(source: AsyncIterable<Uint8Array>): Promise<Snapshot> {
  const view = new ArchiveView(await readArchive(source, { wanted, limits: { totalBytes: largest } }));
  const topology = readTopology(view);
  if (onlineCpus(topology).length === 0) throw new ArchiveError("it has no CPU: not a snapshot of a node");
  const architecture = readArchitecture(view);
  return { topology, architecture };
}

/** Kernels before 6.1 have no file for it; /proc/cpuinfo shows the two that matter. */
function readArchitecture(view: FileView): string | undefined {
  const machine = view.read("/proc/sys/kernel/arch")?.trim();
  if (machine) return architectureOf(machine);
  const cpuinfo = view.read("/proc/cpuinfo") ?? "";
  if (/^vendor_id\s*:.*(Intel|AMD|Hygon|Centaur)/m.test(cpuinfo)) return "amd64";
  return /^CPU implementer\s*:/m.test(cpuinfo) ? "arm64" : undefined;
}

/** More than thirty times the snapshot of the largest machines. */
const largest = 1024 ** 3;

const wantedFiles = new Set(["proc/cpuinfo", "proc/meminfo", "proc/sys/kernel/arch"]);

/** Most of a snapshot describes caches, which are not read. */
function wanted(path: string): boolean {
  return wantedFiles.has(path) || (/^sys\/devices\/system\/(cpu|node)\//.test(path) && !path.includes("/cache/"));
}
