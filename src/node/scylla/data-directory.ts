import { dataFolder } from "../../domain/scylla/names.ts";
import type { Host } from "../host/host.ts";
import { controllersOf, isOfSession, linked, membersOf, nameOf } from "../perftune/facts/disk-paths.ts";
import type { ContainerMount } from "./container-runtime.ts";

type Reader = Pick<Host, "read" | "list" | "real">;

export interface DataDirectory {
  /** As the node sees it, with links resolved. */
  readonly directory: string;
  /** The disks of its file system, sorted; the members of an array each. */
  readonly devices: readonly string[];
}

/**
 * Where the node keeps the data of a database. Undefined if they are on no disk that has a controller: in memory, on the network, on a
 * loop device. There is little to tune, and the script of the engine `perftune` ends with an error, which would keep all databases
 * of the node waiting.
 */
export async function dataDirectory(
  host: Reader,
  mounts: readonly ContainerMount[],
): Promise<DataDirectory | undefined> {
  const hostPath = mounts.find(({ containerPath }) => containerPath === dataFolder)?.hostPath;
  if (hostPath === undefined || !isPath(hostPath)) return undefined;
  const directory = await host.real(hostPath);
  if (!isPath(directory)) return undefined;
  const disk = await linked(`/sys/dev/block/${await deviceNumber(host, directory)}`, host);
  if (disk === undefined) return undefined;
  const members = await membersOf(disk, host);
  const known = await Promise.all(members.map((member) => hasController(member, host)));
  return known.every(Boolean) ? { directory, devices: [...new Set(members.map(nameOf))].toSorted() } : undefined;
}

/** As perftune takes it. */
function isPath(path: string): boolean {
  return path.startsWith("/") && path.length <= 4000 && !path.split("/").includes("..") && !/\p{C}/u.test(path);
}

const filesOfControllers = ["msi_irqs", "irq", "modalias"];

async function hasController(disk: string, host: Reader): Promise<boolean> {
  if (isOfSession(disk)) return true;
  const files = await Promise.all((await controllersOf(disk, host)).map((controller) => host.list(controller)));
  return files.every((names) => filesOfControllers.some((name) => names.includes(name)));
}

/** Of the first process: the agent has mounts of its own. */
const mountinfo = "/proc/1/mountinfo";

/** `259:1`, as the kernel numbers the device of a file system. One over several devices has a number that is no device's. */
async function deviceNumber(host: Reader, directory: string): Promise<string> {
  const file = await host.read(mountinfo);
  let mounted = { point: "", number: "" };
  for (const line of file.type === "text" ? file.text.split("\n") : []) {
    const [, , number = "", , point = ""] = line.split(" ").map(unescaped);
    const isAbove = point === "/" || directory === point || directory.startsWith(`${point}/`);
    // Of several mounts on one point, the last is seen.
    if (point !== "" && isAbove && point.length >= mounted.point.length) mounted = { point, number };
  }
  return mounted.number;
}

/** The kernel writes blanks in paths as octal numbers. */
function unescaped(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
}
