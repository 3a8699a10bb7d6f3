import { resolve as absolute } from "node:path";
import type { Host } from "../../../node/host/host.ts";
import { LinuxHost } from "../../../node/host/linux-host.ts";

/** A folder of profiles, and the host that can read it. */
export interface Place {
  readonly host: Host;
  readonly directory: string;
}

/** Where TuneD has profiles, the later the stronger: each pair the layout of 2.28, then the one before it. */
export const systemDirectories = ["/usr/lib/tuned/profiles", "/usr/lib/tuned", "/etc/tuned/profiles", "/etc/tuned"];

export interface SearchOptions {
  /** Where the node's own root is mounted. */
  readonly root: string;
  /** Further folders, as they are named on this machine; the last is the strongest. */
  readonly directories?: readonly string[];
}

/** Folders below the root are named as the node names them, so that its scripts are found there. */
export async function searchPath({ root, directories = [] }: SearchOptions, host: Host): Promise<Place[]> {
  await checkDirectory("--root", root, { host, directory: "/" });
  const places: Place[] = systemDirectories.map((directory) => ({ host, directory }));
  for (const name of directories) places.push(await given(name, absolute(root), host));
  return places;
}

async function given(name: string, root: string, host: Host): Promise<Place> {
  const path = absolute(name);
  const below = root === "/" || path === root || path.startsWith(`${root}/`);
  const place = below
    ? { host, directory: root === "/" ? path : path.slice(root.length) || "/" }
    : { host: new LinuxHost(), directory: path };
  await checkDirectory("--dir", name, place);
  return place;
}

/** What can be read as text or is not there at all is no folder. */
export async function checkDirectory(option: string, name: string, { host, directory }: Place): Promise<void> {
  const found = await host.read(directory);
  if (found.type === "missing") throw new Error(`${option} ${name}: no such directory`);
  if (found.type === "text") throw new Error(`${option} ${name}: not a directory`);
  if (found.code !== "EISDIR") throw new Error(`${option} ${name}: ${found.message}`);
}
