import type { NpmPackage } from "./bundled-packages.ts";
import { busyboxPrograms, user } from "./contents.ts";
import { type DebianPackage, unpack } from "./debian-packages.ts";
import { FileTree } from "./file-tree.ts";
import { runnableFiles } from "./runnable-files.ts";

/** Debian's files, and what its maintainer scripts would have written. The times are those of the packages. */
export async function debianLayer(packages: readonly DebianPackage[]): Promise<FileTree> {
  const tree = await unpack(packages);
  const mtime = tree.newest;
  const account = (name: string, id: number, home: string): string => `${name}:x:${id}:${id}:${name}:${home}:/bin/sh\n`;
  tree.write("etc/passwd", `${account("root", 0, "/root")}${account("attune", user, "/")}`, { mtime });
  tree.write("etc/group", `root:x:0:\nattune:x:${user}:\n`, { mtime });
  for (const path of busyboxPrograms)
    if (!tree.get(path) && !tree.get(path.replace("/bin/", "/sbin/")))
      tree.add(path, { type: "symlink", to: path.startsWith("usr/bin/") ? "busybox" : "../bin/busybox", mtime });
  // Where scanners look for packages in images without dpkg.
  for (const { name, control } of packages) tree.write(`var/lib/dpkg/status.d/${name}`, control, { mtime });
  return tree;
}

export interface Program {
  /** Folder of the bundle. */
  readonly bundle: string;
  readonly license: string;
  readonly bundled: readonly NpmPackage[];
  readonly sbom: string;
  readonly mtime: number;
}

/** Attune itself. An upgrade that changes nothing else downloads only this layer. */
export function programLayer({ bundle, license, bundled, sbom, mtime }: Program): FileTree {
  const tree = new FileTree();
  for (const [name, text] of runnableFiles(bundle)) tree.write(`attune/dist/${name}`, text, { mtime });
  // Starts without a shell.
  const launcher = '#!/usr/local/bin/node\nrequire("/attune/dist/attune.cjs");\n';
  tree.write("usr/local/bin/attune", launcher, { mode: 0o755, mtime });
  tree.write("usr/share/doc/attune/copyright", license, { mtime });
  for (const { name, text } of bundled) tree.write(`usr/share/doc/attune/npm/${name}/copyright`, text, { mtime });
  tree.write("usr/share/attune/sbom.spdx.json", sbom, { mtime });
  return tree;
}
