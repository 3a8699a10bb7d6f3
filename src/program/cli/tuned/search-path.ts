import { resolve as absolute } from "node:path";
import { type ApplyOptions, scriptDirectories, systemDirectories } from "../../../node/engine/engine.ts";
import type { Host } from "../../../node/host/host.ts";
import { LinuxHost } from "../../../node/host/linux-host.ts";
import { excludedSysctls, parseGlobalConfig } from "../../../language/tuned/text/global-config.ts";

/** A folder of profiles, and the host that can read it. */
export interface Place {
  readonly host: Host;
  readonly directory: string;
}

export interface SearchOptions {
  /** Where the node's root file system is mounted. */
  readonly root: string;
  /** Additional folders, named as on this machine; the last one wins. */
  readonly directories?: readonly string[] | undefined;
}

/** Folders below the root get the names they have on the node, so that its scripts are found there. */
export async function searchPath({ root, directories = [] }: SearchOptions, host: Host): Promise<Place[]> {
  await checkDirectory("--root", root, { host, directory: "/" });
  const places: Place[] = systemDirectories.map((directory) => ({ host, directory }));
  for (const name of directories) places.push(await additional(name, absolute(root), host));
  return places;
}

async function additional(name: string, root: string, host: Host): Promise<Place> {
  const path = absolute(name);
  const below = root === "/" || path === root || path.startsWith(`${root}/`);
  const place = below
    ? { host, directory: root === "/" ? path : path.slice(root.length) || "/" }
    : { host: new LinuxHost(), directory: path };
  await checkDirectory("--dir", name, place);
  return place;
}

/** Throws unless it is a folder: reading a folder as text fails with EISDIR. */
export async function checkDirectory(option: string, name: string, { host, directory }: Place): Promise<void> {
  const found = await host.read(directory);
  if (found.type === "missing") throw new Error(`${option} ${name}: no such directory`);
  if (found.type === "text") throw new Error(`${option} ${name}: not a directory`);
  if (found.code !== "EISDIR") throw new Error(`${option} ${name}: ${found.message}`);
}

const mainConfig = "/etc/tuned/tuned-main.conf";

/** The node's own TuneD configuration as far as it concerns sysctls, and the folders that scripts may be in. */
export async function applyOptions(host: Host, places: readonly Place[]): Promise<ApplyOptions> {
  const profileDirectories = [...scriptDirectories, ...places.map(({ directory }) => directory)];
  const file = await host.read(mainConfig);
  if (file.type !== "text") return { profileDirectories };
  const config = parseGlobalConfig(file.text, mainConfig);
  const enabled = config.options.get("reapply_sysctl") !== false;
  return { profileDirectories, reapplySysctl: { enabled, exclude: excludedSysctls(config) } };
}
