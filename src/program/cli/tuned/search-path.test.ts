import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { systemDirectories } from "../../../node/engine/engine.ts";
import { LinuxHost } from "../../../node/host/linux-host.ts";
import { searchPath } from "./search-path.ts";
import { FakeRoot } from "./testing/fake-root.ts";

async function directoriesOf(root: string, ...directories: string[]): Promise<string[]> {
  const places = await searchPath({ root, directories }, new LinuxHost(root));
  return places.map(({ directory }) => directory);
}

describe("the search path", () => {
  it("has the folders of TuneD, then those of --dir, in that order", async () => {
    const { path: root } = await FakeRoot.make({ "/b/x": "", "/a/x": "" });
    expect(await directoriesOf("/", join(root, "b"), `${root}/a/`)).toEqual([
      ...systemDirectories,
      join(root, "b"),
      join(root, "a"),
    ]);
  });

  it("names folders below the root as the node does, and others as this machine does", async () => {
    const root = await FakeRoot.make({ "/srv/profiles/x": "" });
    const { path: elsewhere } = await FakeRoot.make();
    const directories = await directoriesOf(root.path, join(root.path, "srv/profiles"), elsewhere, root.path);
    expect(directories.slice(4)).toEqual(["/srv/profiles", elsewhere, "/"]);
  });

  it("does not mistake a folder with the same prefix for one below the root", async () => {
    const root = await FakeRoot.make({ "/node/x": "", "/node-2/x": "" });
    const directories = await directoriesOf(join(root.path, "node"), join(root.path, "node-2"));
    expect(directories.at(-1)).toBe(join(root.path, "node-2"));
  });

  it.each([
    ["nosuch", "no such directory"],
    ["file", "not a directory"],
  ])("refuses %s", async (name, why) => {
    const root = await FakeRoot.make({ "/file": "" });
    await expect(directoriesOf("/", join(root.path, name))).rejects.toThrow(`--dir ${join(root.path, name)}: ${why}`);
  });
});
