import type { Observe } from "../../plugin.ts";

/** What udev knows of an interface: what the kernel tells, and what udev's rules found out besides. */
export async function netProperties(device: string, { host }: Observe): Promise<string> {
  const text = async (path: string) => {
    const file = await host.read(path);
    return file.type === "text" ? file.text : "";
  };
  const folder = `/sys/class/net/${device}`;
  const index = (await text(`${folder}/ifindex`)).trim();
  const found = (await text(`/run/udev/data/n${index}`)).split("\n").filter((line) => line.startsWith("E:"));
  const lines = [
    `DEVPATH=${(await host.real(folder)).replace(/^\/sys/, "")}`,
    `IFINDEX=${index}`,
    `INTERFACE=${device}`,
    "SUBSYSTEM=net",
    ...(await text(`${folder}/uevent`)).split("\n").filter((line) => line !== ""),
    ...found.map((line) => line.slice(2)),
  ];
  // The later of two lines with one key holds.
  const properties = new Map(lines.map((line) => [line.slice(0, line.indexOf("=")), line]));
  return [...properties.keys()]
    .toSorted()
    .map((key) => properties.get(key))
    .join("\n");
}
