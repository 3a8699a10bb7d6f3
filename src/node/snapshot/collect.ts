import { dirname, relative } from "node:path/posix";
import type { Host } from "../host/host.ts";
import { type ArchiveEntry, ArchiveError } from "./archive-entry.ts";

/**
 * Files that show the hardware of a node and the affinity of its interrupts. One star in a name matches any text. Blocks of
 * memory are left out: they are thousands of files, and meminfo has their sum.
 */
const patterns = [
  "/proc/cmdline",
  "/proc/cpuinfo",
  "/proc/interrupts",
  "/proc/irq/*/*affinity_list",
  "/proc/irq/*/node",
  "/proc/irq/default_smp_affinity",
  "/proc/meminfo",
  "/proc/softirqs",
  "/proc/sys/kernel/arch",
  "/sys/class/dmi/id/bios_*",
  "/sys/class/dmi/id/product_family",
  "/sys/class/dmi/id/product_name",
  "/sys/class/dmi/id/product_sku",
  "/sys/class/dmi/id/product_version",
  "/sys/devices/system/cpu/cpu*/cache/index*/*",
  "/sys/devices/system/cpu/cpu*/online",
  "/sys/devices/system/cpu/cpu*/topology/*",
  "/sys/devices/system/cpu/offline",
  "/sys/devices/system/cpu/online",
  "/sys/devices/system/cpu/possible",
  "/sys/devices/system/cpu/present",
  "/sys/devices/system/cpu/smt/active",
  "/sys/devices/system/node/has_*",
  "/sys/devices/system/node/node*/cpulist",
  "/sys/devices/system/node/node*/cpumap",
  "/sys/devices/system/node/node*/distance",
  "/sys/devices/system/node/node*/hugepages/*/*_hugepages",
  "/sys/devices/system/node/node*/meminfo",
  "/sys/devices/system/node/online",
  "/sys/devices/system/node/possible",
  "/sys/kernel/mm/hugepages/*/*_hugepages",
];

/** Links that show which CPUs belong to which NUMA node. */
const linkPatterns = ["/sys/devices/system/node/node*/cpu*"];

/** Snapshots of the largest machines have about 30 MB. */
const mostBytes = 256 * 1024 * 1024;

/** A snapshot of a node's hardware. Files that cannot be read are left out. */
export async function collect(host: Host): Promise<ArchiveEntry[]> {
  const entries = new Map<string, ArchiveEntry>();
  let bytes = 0;
  for (const pattern of patterns)
    for (const path of await expand(host, pattern)) {
      const file = await host.read(path);
      if (file.type !== "text") continue;
      const content = Buffer.from(file.text);
      bytes += content.length;
      if (bytes > mostBytes) throw new ArchiveError(`snapshot: ${path} makes it larger than ${mostBytes} bytes`);
      entries.set(path.slice(1), { type: "file", path: path.slice(1), bytes: content });
    }
  for (const pattern of linkPatterns)
    for (const path of await expand(host, pattern)) {
      const real = await host.real(path);
      if (real === path) continue;
      entries.set(path.slice(1), { type: "link", path: path.slice(1), to: relative(dirname(path), real) });
    }
  return [...withFolders(entries)].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, entry]) => entry);
}

/** Adds all parent folders, so that programs that unpack the archive find a folder before its entries. */
function withFolders(entries: ReadonlyMap<string, ArchiveEntry>): Map<string, ArchiveEntry> {
  const all = new Map(entries);
  for (const path of entries.keys())
    for (let folder = dirname(path); folder !== "." && !all.has(folder); folder = dirname(folder))
      all.set(folder, { type: "folder", path: folder });
  return all;
}

async function expand(host: Host, pattern: string): Promise<string[]> {
  let paths = [""];
  for (const part of pattern.slice(1).split("/")) {
    if (!part.includes("*")) {
      paths = paths.map((path) => `${path}/${part}`);
      continue;
    }
    const further: string[] = [];
    for (const path of paths)
      for (const name of await host.list(path)) if (matches(name, part)) further.push(`${path}/${name}`);
    paths = further;
  }
  return paths;
}

function matches(name: string, part: string): boolean {
  const [before = "", after = ""] = part.split("*");
  return name.length >= before.length + after.length && name.startsWith(before) && name.endsWith(after);
}
