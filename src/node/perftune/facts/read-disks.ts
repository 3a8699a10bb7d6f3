import type { AttributeFile, DiskDeviceFacts, DiskFacts } from "../../../domain/scylla/perftune/host-facts.ts";
import type { PerftuneOptions } from "../../../domain/scylla/perftune/option/perftune-options.ts";
import type { Host } from "../../host/host.ts";
import { deviceIrqs } from "./device-irqs.ts";
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

/** Where a link of /sys leads; `undefined` if there is none. */
async function linked(link: string, host: Host): Promise<string | undefined> {
  const real = await host.real(link);
  return real.startsWith("/sys/devices/") ? real : undefined;
}

const isVirtual = (path: string): boolean => path.split("/").includes("virtual");

/** What arrays and volumes consist of; a device that has no members itself. */
async function membersOf(path: string, host: Host, seen = new Set<string>()): Promise<string[]> {
  if (seen.has(path)) return [];
  seen.add(path);
  if (!isVirtual(path)) return [path];
  const above = path.slice(0, path.lastIndexOf("/"));
  // A partition of an array has no members; the array has.
  for (const holder of [path, above]) {
    const members = await host.list(`${holder}/slaves`);
    const found = await Promise.all(members.map((member) => linked(`${holder}/slaves/${member}`, host)));
    const deeper = await Promise.all(found.flatMap((one) => (one === undefined ? [] : [membersOf(one, host, seen)])));
    if (members.length > 0) return deeper.flat();
  }
  return [path];
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
  if (/^\/sys\/devices\/platform\/host[0-9]+\/session[0-9]+\//.test(path)) return [];
  const controllers = new Set((await physicalPathsOf(path, host)).map(controllerOf));
  const irqs = await Promise.all(
    [...controllers].map((device) => deviceIrqs({ device, xenName: "blkif", interrupts }, host)),
  );
  return [...new Set(irqs.flat())].toSorted((a, b) => a - b);
}

/** A namespace of NVMe that several paths lead to is below none of its controllers. */
async function physicalPathsOf(path: string, host: Host): Promise<string[]> {
  const controller = /^(nvme[0-9]+)n[0-9]/.exec(nameOf(path))?.[1];
  if (!isVirtual(path) || controller === undefined) return [path];
  const names = (await host.list(`${path}/device`)).filter((name) => /^nvme[0-9]+$/.test(name));
  const own = names.includes(controller) ? [controller] : names;
  const found = await Promise.all(own.map((name) => linked(`${path}/device/${name}`, host)));
  return found.flatMap((one) => one ?? []);
}

/** The bus, and the devices of PCI that follow it: what comes then is no device with interrupts. */
function controllerOf(path: string): string {
  const [, , , bus = "", ...below] = path.split("/");
  const end = below.findIndex((part) => !/^[0-9a-f]{4,}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-9a-f]$/i.test(part));
  return ["/sys/devices", bus, ...below.slice(0, end < 0 ? undefined : end)].join("/");
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
