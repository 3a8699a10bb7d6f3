import { lstat, readdir, readFile, readlink } from "node:fs/promises";
import { join } from "node:path";

/** Every path below a root, with its mode and its content, for comparing. */
export async function treeOf(root: string): Promise<Map<string, string>> {
  const names = (await readdir(root, { recursive: true })).toSorted();
  const entries = names.map(async (name): Promise<[string, string]> => {
    const path = join(root, name);
    const status = await lstat(path);
    const mode = (status.mode & 0o7777).toString(8);
    if (status.isDirectory()) return [`/${name}`, `directory ${mode}`];
    if (status.isSymbolicLink()) return [`/${name}`, `link to ${await readlink(path)}`];
    return [`/${name}`, `file ${mode}: ${status.isFile() ? await readFile(path, "utf8") : "special"}`];
  });
  return new Map(await Promise.all(entries));
}
