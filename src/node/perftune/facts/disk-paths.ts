import type { Host } from "../../host/host.ts";

type Reader = Pick<Host, "list" | "real">;

/** Where a link of /sys leads; `undefined` if there is none. */
export async function linked(link: string, host: Reader): Promise<string | undefined> {
  const real = await host.real(link);
  return real.startsWith("/sys/devices/") ? real : undefined;
}

const isVirtual = (path: string): boolean => path.split("/").includes("virtual");

/** What arrays and volumes consist of; a device that has no members itself. */
export async function membersOf(path: string, host: Reader, seen = new Set<string>()): Promise<string[]> {
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

/** The disk of an iSCSI session: it has no controller here. */
export function isOfSession(path: string): boolean {
  return /^\/sys\/devices\/platform\/host[0-9]+\/session[0-9]+\//.test(path);
}

/** The controllers of a disk, which have its interrupts. */
export async function controllersOf(path: string, host: Reader): Promise<string[]> {
  return [...new Set((await physicalPathsOf(path, host)).map(controllerOf))];
}

/** A namespace of NVMe that several paths lead to is below none of its controllers. */
async function physicalPathsOf(path: string, host: Reader): Promise<string[]> {
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

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
