import type { Setting } from "../../../../language/tuned/unit.ts";
import { optionIsTrue } from "../../../../language/tuned/value.ts";
import type { Action } from "../../action.ts";
import type { Observe, Plugin, Step } from "../../plugin.ts";
import { unknownOption } from "../../unknown-option.ts";
import { type MountPoint, readMountPoints } from "./mount-points.ts";

const option = "disable_barriers";

/** `[mounts]`: file systems without write barriers, for disks whose cache survives a power cut. */
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
    for (const device of devices) {
      const point = points.get(device);
      if (point)
        steps.push(
          await planPoint(device, point, force, setting, mounted.type === "text" ? mounted.text : "", observe),
        );
    }
    return steps;
  },
};

async function planPoint(
  device: string,
  point: MountPoint,
  force: boolean,
  { from }: Setting,
  mounted: string,
  observe: Observe,
): Promise<Step> {
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
  if (barriers === undefined) return leave("nobody knows whether it has any");
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

/** As the kernel shows its mounts: barriers are on where it does not say otherwise. */
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
