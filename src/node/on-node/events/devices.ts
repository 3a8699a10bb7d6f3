import { cpusOf } from "../../../language/cpu/cpu-list.ts";
import type { Host } from "../../host/host.ts";

type Reader = Pick<Host, "read" | "list">;

/**
 * The devices of a node that plug-ins tune, by the names that plug-ins give them. CPUs count while they are online, interfaces
 * and disks once udev is done with them; those in `known` were so before.
 */
export async function readDevices(host: Reader, known: ReadonlySet<string> = new Set()): Promise<ReadonlySet<string>> {
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
  const named: Named[] = [
    ...interfaces
      .filter((name) => !pods.has(name))
      .map((name) => ({ name, letter: "n", file: `/sys/class/net/${name}/ifindex` })),
    // sysfs writes a slash in a name as `!`.
    ...disks.map((name) => ({ name: name.replaceAll("!", "/"), letter: "b", file: `/sys/block/${name}/dev` })),
  ];
  const fresh = new Set(named.filter(({ name }) => !known.has(name)));
  const unready = fresh.size === 0 ? fresh : await unreadyOf(fresh, host);
  return new Set([
    ...named.filter((one) => !unready.has(one)).map(({ name }) => name),
    ...scsiHosts,
    ...interrupts.filter((name) => /^[0-9]+$/.test(name)).map((name) => `irq${name}`),
    ...cpusOf(online.type === "text" ? online.text.trim() : "").map((cpu) => `cpu${cpu}`),
  ]);
}

/** A device that udev knows by a letter and the number in a file. */
interface Named {
  readonly name: string;
  readonly letter: string;
  readonly file: string;
}

/** Before udev is done, a device may get another name, and `devices_udev_regex` has nothing to search in. */
async function unreadyOf(devices: ReadonlySet<Named>, host: Reader): Promise<ReadonlySet<Named>> {
  const unready = new Set<Named>();
  if (!(await host.list("/run/udev")).includes("control")) return unready;
  const records = new Set(await host.list("/run/udev/data"));
  for (const device of devices) {
    const number = await host.read(device.file);
    if (number.type === "text" && !records.has(`${device.letter}${number.text.trim()}`)) unready.add(device);
  }
  return unready;
}
