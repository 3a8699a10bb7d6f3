import type { CpuTopology } from "../cpu/cpu-topology.ts";
import { onlineCpus } from "../cpu/cpu-topology.ts";
import { readTopology } from "../cpu/read-topology.ts";
import { ArchiveError } from "./archive-entry.ts";
import { ArchiveView } from "./archive-view.ts";
import { readArchive } from "./read-archive.ts";

/** What a machine is made of, from a snapshot of it: `collect.ts` makes them, and so do others. */
export async function readSnapshot(source: AsyncIterable<Uint8Array>): Promise<CpuTopology> {
  const entries = await readArchive(source, { wanted: tellsTopology });
  const topology = readTopology(new ArchiveView(entries));
  if (onlineCpus(topology).length === 0) throw new ArchiveError("no CPU is in it: not a snapshot of a node");
  return topology;
}

function tellsTopology(path: string): boolean {
  return (
    path === "proc/cpuinfo" ||
    path === "proc/meminfo" ||
    path.startsWith("sys/devices/system/cpu/") ||
    path.startsWith("sys/devices/system/node/")
  );
}
