import type { Observe } from "../../plugin.ts";

export interface MountPoint {
  readonly fileSystem: string;
  /** The disks that it lies on. */
  readonly disks: ReadonlySet<string>;
}

/** What is mounted from partitions and logical volumes of disks that stay where they are. */
export async function readMountPoints({ host }: Observe): Promise<ReadonlyMap<string, MountPoint>> {
  const points = new Map<string, { fileSystem: string; disks: Set<string> }>();
  const listed = await host.run(["lsblk", "-rno", "TYPE,RM,KNAME,FSTYPE,MOUNTPOINT"]);
  if (listed.type !== "exited" || listed.code !== 0) return points;
  let disk: string | undefined;
  for (const line of listed.stdout.split("\n")) {
    const [type, removable, name = "", fileSystem = "", escaped = ""] = line.split(" ");
    if (type === "disk") disk = removable === "0" ? name : undefined;
    const mounted = unescape(escaped);
    if (disk === undefined || (type !== "part" && type !== "lvm") || removable === "1") continue;
    // `[SWAP]` is no place.
    if (!mounted.startsWith("/")) continue;
    const point = points.get(mounted) ?? { fileSystem, disks: new Set() };
    point.disks.add(disk);
    points.set(mounted, point);
  }
  return points;
}

/** lsblk writes a blank in a name as `\x20`. */
function unescape(text: string): string {
  return text.replaceAll(/\\x([0-9a-f]{2})/gi, (_, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16)));
}
