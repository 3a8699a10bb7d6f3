import type { Observe } from "../plugin.ts";
import { valueOf } from "./device-steps.ts";

/** What udev knows of a device: what the kernel tells of it, and what udev's rules found out besides. */
export async function udevProperties(folder: string, subsystem: string, observe: Observe): Promise<string> {
  const number = subsystem === "block" ? await valueOf(observe, `${folder}/dev`) : undefined;
  const real = await observe.host.real(folder);
  const name = real.slice(real.lastIndexOf("/") + 1);
  const record = number === undefined ? `+${subsystem}:${name}` : `b${number}`;
  const [told, found] = await Promise.all([
    linesOf(observe, `${folder}/uevent`),
    linesOf(observe, `/run/udev/data/${record}`),
  ]);
  const lines = [
    `DEVPATH=${real.replace(/^\/sys/, "")}`,
    `SUBSYSTEM=${subsystem}`,
    ...told.map((line) => line.replace(/^DEVNAME=(?!\/)/, "DEVNAME=/dev/")),
    ...found.filter((line) => line.startsWith("E:")).map((line) => line.slice(2)),
  ];
  // The later of two lines with one key holds.
  const properties = new Map(lines.map((line) => [line.slice(0, line.indexOf("=")), line]));
  return [...properties]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([, line]) => line)
    .join("\n");
}

async function linesOf(observe: Observe, path: string): Promise<string[]> {
  return ((await valueOf(observe, path)) ?? "").split("\n").filter((line) => line !== "");
}
