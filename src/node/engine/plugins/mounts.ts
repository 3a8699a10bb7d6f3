import type { Observe, Plugin, Step } from "../plugin.ts";
import { optionIsTrue } from "../../../language/tuned/value.ts";
import type { Action } from "../action.ts";
import { unknownOption } from "./steps.ts";

const option = "disable_barriers";

/** `[mounts]`: disables write barriers of file systems on disks whose cache survives a power cut. */
export const mounts: Plugin = {
  type: "mounts",
  async devices(observe) {
    return [...(await readMountPoints(observe)).keys()];
  },
  async plan({ options }, observe, devices) {
    const steps: Step[] = [];
    for (const [name, setting] of options) if (name !== option) steps.push(unknownOption("mounts", name, setting));
    const setting = options.get(option);
    const force = setting?.value.toLowerCase() === "force";
    if (!setting || !(force || optionIsTrue(setting.value))) return steps;
    const points = await readMountPoints(observe);
    const mounted = await observe.host.read("/proc/mounts");
    const mountedText = mounted.type === "text" ? mounted.text : "";
    for (const device of devices) {
      const point = points.get(device);
      if (point)
        steps.push(await planPoint({ device, point, force, from: setting.from, mounted: mountedText }, observe));
    }
    return steps;
  },
};

interface MountedPoint {
  readonly device: string;
  readonly point: MountPoint;
  readonly force: boolean;
  readonly from: string;
  /** The text of `/proc/mounts`. */
  readonly mounted: string;
}

async function planPoint({ device, point, force, from, mounted }: MountedPoint, observe: Observe): Promise<Step> {
  const about = { option, from, device };
  const leave = (why: string): Step => ({
    ...about,
    type: "skipped",
    level: "info",
    message: `keeps its barriers: ${why}`,
  });
  if (!point.fileSystem.startsWith("ext"))
    return leave(`it is no ext file system but ${point.fileSystem || "unknown"}`);
  if (!force && (await hasWriteBackCache(point.disks, observe))) return leave("its disk has a write-back cache");
  const barriers = hasBarriers(device, mounted);
  if (barriers === undefined) return leave("/proc/mounts does not list it");
  const remount = (digit: string): Action => ({
    type: "run",
    argv: ["mount", device, "-o", `remount,barrier=${digit}`],
  });
  return {
    ...about,
    type: barriers ? "change" : "same",
    target: `mount ${device} barrier`,
    before: barriers ? "1" : "0",
    value: "0",
    actions: [remount("0")],
    undo: [remount("1")],
  };
}

async function hasWriteBackCache(disks: ReadonlySet<string>, { host }: Observe): Promise<boolean> {
  for (const disk of disks) {
    const folder = `/sys/block/${disk}/device/scsi_disk`;
    const [first] = await host.list(folder);
    const file = first === undefined ? undefined : await host.read(`${folder}/${first}/cache_type`);
    if (file?.type === "text" && file.text.trim() === "write back") return true;
  }
  return false;
}

/** Barriers are on unless the mount options turn them off. */
function hasBarriers(device: string, mounted: string): boolean | undefined {
  let found: boolean | undefined;
  for (const line of mounted.split("\n")) {
    const [, point = "", , options = ""] = line.split(" ");
    if (
      point.replaceAll(/\\([0-7]{3})/g, (_, octal: string) => String.fromCodePoint(Number.parseInt(octal, 8))) !==
      device
    )
      continue;
    const words = options.split(",");
    found = !words.includes("nobarrier") && !words.includes("barrier=0");
  }
  return found;
}

export interface MountPoint {
  readonly fileSystem: string;
  /** The disks that hold it. */
  readonly disks: ReadonlySet<string>;
}

/** Mount points of partitions and logical volumes on disks that are not removable. */
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
    // Swap has `[SWAP]` here.
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
