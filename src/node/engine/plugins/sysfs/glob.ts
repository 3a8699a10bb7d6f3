import type { Host } from "../../../host/host.ts";
import { matchesGlob } from "../../../../language/tuned/pattern/glob.ts";

export type Matches = { readonly type: "paths"; readonly paths: readonly string[] } | { readonly type: "too-many" };

/** The kernel's tree has links in circles: a pattern of many stars would never come to an end. */
const mostPaths = 10_000;

/** The files and folders that a shell would find for a pattern. Names with a dot first are not for stars. */
export async function expandGlob(pattern: string, host: Pick<Host, "list" | "read">): Promise<Matches> {
  let paths = [""];
  for (const part of pattern.split("/").slice(1)) {
    if (!/[*?[]/.test(part)) {
      paths = paths.map((path) => `${path}/${part}`);
      continue;
    }
    const next: string[] = [];
    for (const path of paths) {
      for (const name of await host.list(path === "" ? "/" : path))
        if (matchesGlob(part, name) && (part.startsWith(".") || !name.startsWith("."))) next.push(`${path}/${name}`);
      if (next.length > mostPaths) return { type: "too-many" };
    }
    paths = next;
  }
  const there = await Promise.all(paths.map(async (path) => (await host.read(path)).type !== "missing"));
  return { type: "paths", paths: paths.filter((_, index) => there[index]) };
}
