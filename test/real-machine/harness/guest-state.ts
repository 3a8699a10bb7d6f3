import type { Machine } from "./machine.ts";

/** Where configuration is; nothing of the guest itself writes there while it runs. */
const folders = "/etc /boot/grub /var/usrlocal /var/lib/kubelet";

/** Mode, owner, link and contents of every file and folder, by path. */
export async function fileState(machine: Machine): Promise<Record<string, string>> {
  const listed = await machine.run(`find ${folders} -printf '%p\\t%y %m %U:%G %l\\n' 2>/dev/null; true`);
  const sums = await machine.run(`find ${folders} -type f -exec sha256sum {} + 2>/dev/null; true`);
  const sumOf = new Map(sums.split("\n").map((line) => [line.slice(66), line.slice(0, 16)]));
  const entries = listed.split("\n").map((line) => {
    const [path = "", about = ""] = line.split("\t");
    return [path, `${about}${sumOf.get(path) ?? ""}`] as const;
  });
  return Object.fromEntries(entries);
}

/** The lines `path: before → after` of what differs. */
export function differences(before: Record<string, string>, after: Record<string, string>): string[] {
  const paths = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return paths
    .filter((path) => before[path] !== after[path])
    .map((path) => `${path}: ${before[path] ?? "absent"} → ${after[path] ?? "absent"}`);
}

const cpus = "/sys/devices/system/cpu";
const pages = (node: number): string => `/sys/devices/system/node/node${node}/hugepages/hugepages-2048kB/nr_hugepages`;

export interface InForce {
  readonly online: string;
  readonly isolated: string;
  readonly nohzFull: string;
  /** Huge pages of 2 MiB on each NUMA node. */
  readonly pages: string;
  /** Units that failed. */
  readonly failed: string;
}

/** What the kernel and systemd say. */
export async function inForce(machine: Machine): Promise<InForce> {
  const shown = await machine.run(`cat ${cpus}/online ${cpus}/isolated ${cpus}/nohz_full ${pages(0)} ${pages(1)}`);
  const [online = "", isolated = "", nohzFull = "", first, second] = shown.split("\n");
  const failed = await machine.run("systemctl --failed -q");
  return { online, isolated, nohzFull, pages: `${first} ${second}`, failed };
}
