import { matchesGlob } from "../../../../language/tuned/pattern/glob.ts";
import type { Observe } from "../../plugin.ts";

/** A sysctl of the node's own files. */
export interface SystemSysctl {
  readonly key: string;
  readonly value: string;
  /** `file:line` */
  readonly from: string;
}

export interface SystemSysctls {
  /** The last value of each key. */
  readonly values: readonly SystemSysctl[];
  /** `file:line` of malformed lines. */
  readonly malformed: readonly string[];
}

/** As in TuneD, `/usr/lib/sysctl.d` is not among them: it holds defaults of packages, not decisions for this node. */
const folders = ["/etc/sysctl.d", "/run/sysctl.d"];
const last = "/etc/sysctl.conf";

/** Reads the node's sysctl files in order of their names; a file in /run replaces one of the same name in /etc. */
export async function readSystemSysctls({
  host,
  reapplySysctl,
}: Pick<Observe, "host" | "reapplySysctl">): Promise<SystemSysctls> {
  const files = new Map<string, string>();
  for (const folder of folders)
    for (const name of await host.list(folder)) if (name.endsWith(".conf")) files.set(name, `${folder}/${name}`);
  const paths = [...files].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, path]) => path);

  const values = new Map<string, SystemSysctl>();
  const malformed: string[] = [];
  for (const path of [...paths, last]) {
    const file = await host.read(path);
    if (file.type !== "text") continue;
    for (const [index, line] of file.text.split("\n").entries()) {
      const from = `${path}:${index + 1}`;
      const text = line.trim();
      if (text === "" || text.startsWith("#") || text.startsWith(";")) continue;
      const equals = text.indexOf("=");
      const key = text.slice(0, Math.max(equals, 0)).trim();
      if (key === "") malformed.push(from);
      else if (!reapplySysctl.exclude.some((pattern) => matchesGlob(pattern, key)))
        values.set(key, { key, value: text.slice(equals + 1).trim(), from });
    }
  }
  return { values: [...values.values()], malformed };
}

/**
 * The file of a sysctl. `.` and `/` change places, so that `net.ipv4.conf.eth0/100.forwarding` means the interface
 * `eth0.100`. `undefined` for a name that leads out of /proc/sys.
 */
export function sysctlPath(name: string): string | undefined {
  let path = "";
  for (const character of name) path += character === "." ? "/" : character === "/" ? "." : character;
  const parts = path.split("/");
  const good = parts.every((part) => part !== "" && part !== "." && part !== ".." && !part.includes("\0"));
  return good ? `/proc/sys/${path}` : undefined;
}
