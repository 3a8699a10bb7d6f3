import { cpusOf } from "../../../language/cpu/cpu-list.ts";
import type { Host } from "../../host/host.ts";

type Reader = Pick<Host, "read" | "list">;

/**
 * The devices of a node that plug-ins tune, by the names that plug-ins give them. CPUs count while they are online, others
 * once udev is done with them; those in `known` were so before.
 */
export async function readDevices(host: Reader, known: ReadonlySet<string> = new Set()): Promise<ReadonlySet<string>> {
  const devices = await listDevices(host);
  const unready = await Promise.all([...devices].map(async (name) => !known.has(name) && !(await isReady(name, host))));
  return new Set([...devices].filter((_, index) => !unready[index]));
}

async function listDevices(host: Reader): Promise<ReadonlySet<string>> {
  const [virtual, interfaces, disks, scsiHosts, interrupts, online] = await Promise.all([
    host.list("/sys/devices/virtual/net"),
    host.list("/sys/class/net"),
    host.list("/sys/block"),
    host.list("/sys/class/scsi_host"),
    host.list("/proc/irq"),
    host.read("/sys/devices/system/cpu/online"),
  ]);
  // Every pod has a virtual interface; no plug-in tunes them.
  const pods = new Set(virtual);
  return new Set([
    ...interfaces.filter((name) => !pods.has(name)),
    // sysfs writes a slash in a name as `!`.
    ...disks.map((name) => name.replaceAll("!", "/")),
    ...scsiHosts,
    ...interrupts.filter((name) => /^[0-9]+$/.test(name)).map((name) => `irq${name}`),
    ...cpusOf(online.type === "text" ? online.text.trim() : "").map((cpu) => `cpu${cpu}`),
  ]);
}

/** Before udev is done, a device may get another name, and `devices_udev_regex` has nothing to search in. */
async function isReady(device: string, host: Reader): Promise<boolean> {
  const folders = [
    ["n", `/sys/class/net/${device}/ifindex`],
    ["b", `/sys/block/${device.replaceAll("/", "!")}/dev`],
  ] as const;
  for (const [letter, path] of folders) {
    const number = await host.read(path);
    if (number.type !== "text") continue;
    if (!(await host.list("/run/udev")).includes("control")) return true;
    return (await host.list("/run/udev/data")).includes(`${letter}${number.text.trim()}`);
  }
  return true;
}
