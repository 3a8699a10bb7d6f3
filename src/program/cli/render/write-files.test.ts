import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { writeFiles } from "./write-files.ts";
import { AssetFolders } from "./testing/asset-folders.ts";
import { filesOf, profileText } from "./testing/profile-text.ts";

describe("attune render writes", () => {
  it("world-readable files over older ones, and leaves no temporary files", async () => {
    const assets = new AssetFolders({ a: profileText("one") });
    mkdirSync(assets.output, { recursive: true });
    writeFileSync(join(assets.output, "one_tuned.yaml"), "old");
    writeFileSync(join(assets.output, "mine.txt"), "a: 1");
    chmodSync(join(assets.output, "one_tuned.yaml"), 0o600);
    expect((await assets.render()).code).toBe(0);
    expect(assets.names()).toEqual(["mine.txt", ...filesOf("one")]);
    for (const name of filesOf("one")) expect(statSync(join(assets.output, name)).mode & 0o777).toBe(0o644);
  });

  it("beside the temporary folder of a killed process", async () => {
    const assets = new AssetFolders({ a: profileText("one") });
    for (const left of [`.one_tuned.yaml.${process.pid}`, ".render-AbCdEf/one_tuned.yaml"])
      assets.write(`made/here/${left}`, "half a fi");
    expect((await assets.render()).code).toBe(0);
    expect(readdirSync(assets.output)).toEqual(expect.arrayContaining(filesOf("one")));
  });

  it("the same bytes for the same input", async () => {
    const assets = new AssetFolders({ a: profileText("one") });
    await assets.render();
    const first = JSON.stringify([...assets.written()]);
    await assets.render();
    expect(JSON.stringify([...assets.written()])).toBe(first);
  });

  it.each<[string, (assets: AssetFolders) => void, RegExp]>([
    ["into a file", (assets) => assets.write("made/here", ""), /EEXIST|ENOTDIR/],
    ["below a file", (assets) => assets.write("made", ""), /ENOTDIR|EEXIST/],
    [
      "over a folder",
      (assets) => mkdirSync(join(assets.output, "one_tuned.yaml"), { recursive: true }),
      /one_tuned\.yaml: it is a folder/,
    ],
  ])("nothing %s", async (_, prepare, message) => {
    const assets = new AssetFolders({ a: profileText("one") });
    prepare(assets);
    await expect(assets.render()).rejects.toThrow(message);
    if (statSync(assets.path("made")).isDirectory() && statSync(assets.output).isDirectory())
      expect(readdirSync(assets.output)).toEqual(["one_tuned.yaml"]);
  });

  it("nothing where no folder can be created, and fails at once", () => {
    expect(() => writeFiles("/proc/attune/made", [])).toThrow(/ENOENT/);
  });
});
