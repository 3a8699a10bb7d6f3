import { join } from "node:path";
import type { Files } from "./async-files.ts";

/** As the kernel: more links on the way are a loop. */
const mostLinks = 40;

export interface PathBelowRoot {
  readonly root: string;
  readonly path: string;
  /** Whether a link that the whole path names is followed too. */
  readonly followLast: boolean;
}

/** Where chroot would find the path: absolute links begin at the root, and `..` does not lead above it. Without links on the way. */
export async function pathBelowRoot(
  { root, path, followLast }: PathBelowRoot,
  files: Pick<Files, "linkOf">,
): Promise<string> {
  const ahead = path.split("/");
  let at: string[] = [];
  let links = 0;
  for (let name = ahead.shift(); name !== undefined; name = ahead.shift()) {
    if (name === "" || name === ".") continue;
    if (name === "..") {
      at.pop();
      continue;
    }
    const link = followLast || ahead.length > 0 ? await files.linkOf(join(root, ...at, name)) : undefined;
    if (link === undefined) at.push(name);
    else if (++links > mostLinks)
      throw Object.assign(new Error(`ELOOP: too many symbolic links, ${path}`), { code: "ELOOP" });
    else {
      if (link.startsWith("/")) at = [];
      ahead.unshift(...link.split("/"));
    }
  }
  return join(root, ...at);
}
