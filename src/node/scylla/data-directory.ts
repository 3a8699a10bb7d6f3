import { dataFolder } from "../../domain/scylla/names.ts";
import type { Host } from "../host/host.ts";
import type { ContainerMount } from "./container-runtime.ts";

type Reader = Pick<Host, "read" | "real">;

export interface DataDirectory {
  /** As the node sees it, with links resolved. */
  readonly directory: string;
  /** Block devices of its file system. */
  readonly devices: readonly string[];
}

/** Where the node keeps the data of a database. Undefined if its container has no volume for them. */
export async function dataDirectory(
  host: Reader,
  mounts: readonly ContainerMount[],
): Promise<DataDirectory | undefined> {
  const hostPath = mounts.find(({ containerPath }) => containerPath === dataFolder)?.hostPath;
  if (hostPath === undefined || !hostPath.startsWith("/") || hostPath.split("/").includes("..")) return undefined;
  const directory = await host.real(hostPath);
  const device = await deviceOf(host, directory);
  return { directory, devices: device === undefined ? [] : [device] };
}

/** Of the first process: the agent has mounts of its own. */
const mountinfo = "/proc/1/mountinfo";

async function deviceOf(host: Reader, directory: string): Promise<string | undefined> {
  const file = await host.read(mountinfo);
  if (file.type !== "text") return undefined;
  let mounted = { point: "", number: "", source: "" };
  for (const line of file.text.split("\n")) {
    const [front = "", back = ""] = line.split(" - ");
    const [, , number = "", , point = ""] = front.split(" ").map(unescaped);
    const [, source = ""] = back.split(" ").map(unescaped);
    const isAbove = point === "/" || directory === point || directory.startsWith(`${point}/`);
    // Of several mounts on one point, the last is seen.
    if (point !== "" && isAbove && point.length >= mounted.point.length) mounted = { point, number, source };
  }
  const link = `/sys/dev/block/${mounted.number}`;
  const device = await host.real(link);
  if (device !== link) return lastPart(device);
  // File systems over several devices have no number of a device.
  return mounted.source.startsWith("/dev/") ? lastPart(await host.real(mounted.source)) : undefined;
}

function lastPart(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** The kernel writes blanks in paths as octal numbers. */
function unescaped(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
}
