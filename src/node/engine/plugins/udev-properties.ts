import type { Observe } from "../plugin.ts";
import { valueOf } from "./steps.ts";

/** udev's names for its records of disks and interfaces: a letter, and the number in a file of the device. */
const numbered: ReadonlyMap<string, { letter: string; file: string }> = new Map([
  ["block", { letter: "b", file: "dev" }],
  ["net", { letter: "n", file: "ifindex" }],
]);

/** What udev knows of a device: the kernel's uevent, and what udev's rules found out besides. `KEY=value` lines by key. */
export async function udevProperties(folder: string, subsystem: string, observe: Observe): Promise<string> {
  const kind = numbered.get(subsystem);
  const number = kind && (await valueOf(observe, `${folder}/${kind.file}`));
  const real = await observe.host.real(folder);
  const name = real.slice(real.lastIndexOf("/") + 1);
  const record = kind && number !== undefined ? `${kind.letter}${number}` : `+${subsystem}:${name}`;
  const [uevent, database] = await Promise.all([
    linesOf(observe, `${folder}/uevent`),
    linesOf(observe, `/run/udev/data/${record}`),
  ]);
  const lines = [
    `DEVPATH=${real.replace(/^\/sys/, "")}`,
    `SUBSYSTEM=${subsystem}`,
    ...(subsystem === "net"
      ? [`IFINDEX=${number ?? ""}`, `INTERFACE=${folder.slice(folder.lastIndexOf("/") + 1)}`]
      : []),
    ...uevent.map((line) => line.replace(/^DEVNAME=(?!\/)/, "DEVNAME=/dev/")),
    ...database.filter((line) => line.startsWith("E:")).map((line) => line.slice(2)),
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
