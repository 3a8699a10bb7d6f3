import { open, readFile, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { makeFolderAsync } from "../../../cluster/runtime/make-folder.ts";

/** The file's text, `undefined` if there is no file. */
export async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** Writes a file that only its owner may read. After a crash the file holds the old text or the new one. */
export async function writeSecretFile(path: string, text: string): Promise<void> {
  const directory = dirname(path);
  await makeFolderAsync(directory, 0o700);
  // A fixed name, so that the next write removes what a crash left behind.
  const temporary = `${path}.tmp`;
  await rm(temporary, { force: true });
  try {
    const file = await open(temporary, "wx", 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncDirectory(directory);
}

/** Makes the rename itself durable. */
async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, "r");
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
