import type { AttributeFile, DiskDeviceFacts, DiskFacts } from "../../../domain/scylla/perftune/host-facts.ts";
import type { PerftuneOptions } from "../../../domain/scylla/perftune/option/perftune-options.ts";
import type { Host } from "../../host/host.ts";
import { deviceIrqs } from "./device-irqs.ts";
import { controllersOf, isOfSession, linked, membersOf, nameOf } from "./disk-paths.ts";
import { readInstanceType } from "./instance-type.ts";
import { textOf } from "./text-of.ts";

export type DisksWanted = Pick<PerftuneOptions, "directories" | "devices">;

/** The devices below directories and devices that the user names. */
export async function readDisks(
  { directories, devices }: DisksWanted,
  host: Host,
  interrupts: ReadonlyMap<number, string>,
): Promise<DiskFacts> {
  const paths = new Set<string>();
  const unresolved: string[] = [];
  const add = async (path: string | undefined, why: string): Promise<void> => {
    if (path === undefined) unresolved.push(why);
    else for (const member of await membersOf(path, host)) paths.add(member);
  };
  for (const directory of directories) {
    const found = await ofDirectory(directory, host);
    await add(found.path, `${directory}: ${found.why}`);
  }
  for (const device of devices) await add(await ofDevice(device, host), `${device}: no such block device`);
  const instanceType = await readInstanceType(host, [...paths]);
  return {
    devices: await Promise.all([...paths].map((path) => readDisk(path, host, interrupts))),
    unresolved,
    ...(instanceType === undefined ? {} : { instanceType }),
  };
}

interface Found {
  /** The device's folder below /sys/devices. */
  readonly path?: string;
  readonly why: string;
}

/** By the number of the file system's device; file systems on several devices have none of theirs, so df is asked. */
async function ofDirectory(directory: string, host: Host): Promise<Found> {
  const asked = new Set<string>();
  for (let at = directory; !asked.has(at);) {
    asked.add(at);
    const real = await host.real(at);
    if ((await host.stat(real)).type === "missing") return { why: "no such directory" };
    const number = await host.device?.(real);
    const path = number === undefined ? undefined : await linked(`/sys/dev/block/${number}`, host);
    if (path !== undefined) return { path, why: "" };
    const answer = await host.run(["df", "-P", "--", real]);
    const source = answer.type === "exited" && answer.code === 0 ? sourceIn(answer.stdout) : undefined;
    if (source === undefined) return { why: "its block device is unknown" };
    if (source.startsWith("/dev/")) {
      const device = await ofDevice(source, host);
      return device === undefined ? { why: `${source} is no block device` } : { path: device, why: "" };
    }
    // A directory that is mounted elsewhere.
    if (!source.startsWith("/")) return { why: `it is on ${source}, which has no block device` };
    at = source;
  }
  return { why: "its block device is unknown" };
}

function sourceIn(output: string): string | undefined {
  return output.split("\n")[1]?.split(/\s+/)[0];
}

/** `sda`, `/dev/sda` or a link like `/dev/mapper/data`. */
async function ofDevice(device: string, host: Host): Promise<string | undefined> {
  const file = await host.real(device.startsWith("/") ? device : `/dev/${device}`);
  if (!file.startsWith("/dev/") || file.split("/").includes("..")) return undefined;
  // The kernel writes the slash of a name so.
  return linked(`/sys/class/block/${file.slice(5).replaceAll("/", "!")}`, host);
}

async function readDisk(path: string, host: Host, interrupts: ReadonlyMap<number, string>): Promise<DiskDeviceFacts> {
  const [irqs, scheduler, nomerges, writeCache] = await Promise.all([
    irqsOf(path, host, interrupts),
    attributeOf(path, "queue/scheduler", host),
    attributeOf(path, "queue/nomerges", host),
    attributeOf(path, "queue/write_cache", host),
  ]);
  return {
    name: nameOf(path),
    irqs,
    ...(scheduler ? { scheduler } : {}),
    ...(nomerges ? { nomerges } : {}),
    ...(writeCache ? { writeCache } : {}),
  };
}

/** Of the device, or of the nearest one above it: a partition has none itself. */
async function attributeOf(path: string, name: string, host: Host): Promise<AttributeFile | undefined> {
  for (let at = path; at.length > "/sys/devices".length; at = at.slice(0, at.lastIndexOf("/"))) {
    const text = await textOf(host, `${at}/${name}`);
    if (text !== undefined) return { path: `${at}/${name}`, text };
  }
  return undefined;
}

/** The disks of an iSCSI session have none of their own. */
async function irqsOf(path: string, host: Host, interrupts: ReadonlyMap<number, string>): Promise<number[]> {
  if (isOfSession(path)) return [];
  const irqs = await Promise.all(
    (await controllersOf(path, host)).map((device) => deviceIrqs({ device, xenName: "blkif", interrupts }, host)),
  );
  return [...new Set(irqs.flat())].toSorted((a, b) => a - b);
}
