import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { Readable } from "node:stream";
import { gunzipSync } from "node:zlib";
import { type Architecture, nodejs } from "./contents.ts";
import { FileTree } from "./file-tree.ts";
import { readArchive } from "./read-archive.ts";
import { stripSymbols } from "./strip-symbols.ts";

/** Node.js of npm's registry, kept in `cache`: what is there is compared with its checksum again. */
export async function nodeFiles(architecture: Architecture, cache: string): Promise<FileTree> {
  const { name, integrity } = nodejs.packages[architecture];
  const file = join(cache, `${name}-${nodejs.version}.tgz`);
  if (!existsSync(file)) download(`${name}@${nodejs.version}`, file);
  const archive = readFileSync(file);
  const found = `sha512-${createHash("sha512").update(archive).digest("base64")}`;
  if (found !== integrity) throw new Error(`check ${file}: its checksum is ${found}, not ${integrity}: delete it`);
  return select(archive);
}

/** Two builds may run at once, and one may be interrupted: the file is complete or not there at all. */
function download(spec: string, file: string): void {
  mkdirSync(dirname(file), { recursive: true });
  const folder = mkdtempSync(`${file}-`);
  try {
    execFileSync("npm", ["pack", spec, "--pack-destination", folder, "--silent"], {
      stdio: ["ignore", "ignore", "inherit"],
    });
    renameSync(join(folder, basename(file)), file);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Of the files of the package: the program and its licence. */
async function select(archive: Buffer): Promise<FileTree> {
  const paths = new Map([
    ["package/bin/node", { path: "usr/local/bin/node", mode: 0o755, keep: stripSymbols }],
    ["package/LICENSE", { path: "usr/share/doc/nodejs/copyright", mode: 0o644, keep: (bytes: Buffer) => bytes }],
  ]);
  const tree = new FileTree();
  for await (const { header, bytes } of readArchive(Readable.from([gunzipSync(archive)]))) {
    const wanted = paths.get(header.name);
    if (wanted) tree.write(wanted.path, wanted.keep(bytes), { mode: wanted.mode, mtime: 0 });
  }
  for (const { path } of paths.values())
    if (!tree.get(path)) throw new Error(`unpack Node.js ${nodejs.version}: the package has no file for ${path}`);
  return tree;
}
