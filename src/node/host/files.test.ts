import { mkdtemp, readlink, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { asyncFiles } from "./async-files.ts";
import { syncFiles } from "./sync-files.ts";

let folder = "";
beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), "files-"))));
afterEach(async () => rm(folder, { recursive: true }));

describe.each([
  ["asynchronously", asyncFiles],
  ["synchronously", syncFiles],
])("files accessed %s", (_, files) => {
  test("are not replaced if their mode cannot be read", async () => {
    const loop = join(folder, "loop");
    await symlink("loop", loop);
    await expect(files.replace(loop, "text", {})).rejects.toThrow("ELOOP");
    expect(await readlink(loop)).toBe("loop");
  });

  test("are not read into memory if they are large", async () => {
    const path = join(folder, "large");
    await writeFile(path, "");
    await truncate(path, 2 ** 31);
    await expect(files.readBytes(path)).rejects.toMatchObject({ code: "EFBIG" });
    await truncate(path, 10);
    expect(await files.readBytes(path)).toHaveLength(10);
  });

  test("are no links if they do not exist", async () => {
    expect(await files.linkOf(join(folder, "none"))).toBeUndefined();
  });
});
