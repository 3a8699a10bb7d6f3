import { readdirSync, symlinkSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { AssetFolders } from "./testing/asset-folders.ts";
import { filesOf, profileText } from "./testing/profile-text.ts";

describe("attune render reads", () => {
  it("every file below a folder, and ignores unknown kinds", async () => {
    const assets = new AssetFolders({
      "a/b/.hidden": `---\n# only a remark\n---\n${profileText("one")}\n---\nkind: ConfigMap\napiVersion: v1\n`,
      "list.txt": JSON.stringify({ apiVersion: "v1", kind: "List", items: [JSON.parse(profileText("two"))] }),
      "z.yaml": "apiVersion: example.com/v1\nkind: PerformanceProfile\n",
      empty: "",
    });
    const { code } = await assets.render();
    expect([code, assets.names()]).toEqual([0, [...filesOf("one"), ...filesOf("two")].toSorted()]);
  });

  it("a file that is named instead of a folder", async () => {
    const assets = new AssetFolders({ "p.json": profileText("one") });
    expect(await assets.render({ assetInputDir: [assets.path("in0/p.json")] })).toEqual({ code: 0, stderr: [] });
    expect(assets.names()).toEqual(filesOf("one"));
  });

  it("linked files, but not linked folders", async () => {
    const assets = new AssetFolders({ "..data1/p.json": profileText("one") });
    symlinkSync("..data1", assets.path("in0/..data"));
    symlinkSync("..data/p.json", assets.path("in0/p.json"));
    symlinkSync(".", assets.path("in0/loop"));
    expect(await assets.render()).toEqual({ code: 0, stderr: [] });
    expect(assets.names()).toEqual(filesOf("one"));
  });

  it("a thousand documents in many files and in one", async () => {
    const other = (i: number): string => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c${i}}\ndata: {a: "1"}\n`;
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`f${i}.yaml`, other(i)]));
    const one = Array.from({ length: 500 }, (_, i) => other(i)).join("---\n");
    const assets = new AssetFolders(many, { "one.yaml": `${one}---\n${profileText("one")}` });
    expect(await assets.render()).toEqual({ code: 0, stderr: [] });
    expect(assets.names()).toEqual(filesOf("one"));
  });

  it("an empty folder, and still creates the output folder", async () => {
    const assets = new AssetFolders({});
    expect(await assets.render()).toEqual({ code: 0, stderr: [] });
    expect(readdirSync(assets.output)).toEqual([]);
  });

  it.each<[string, Record<string, string>, RegExp[]]>([
    [
      "text that is no YAML",
      { "a.yaml": "kind: X\napiVersion: v1\n---\na: [\n" },
      [/^error: in0\/a\.yaml, document 2: line [45]: /],
    ],
    [
      "an object without a kind",
      { "a.yaml": `${profileText("x")}\n---\n\nmetadata: {}\n` },
      [/^error: in0\/a\.yaml, document 2: line 2: apiVersion not set$/],
    ],
    ["a kind that is none", { "a.json": '{"apiVersion": "v1", "kind": 5}' }, [/: line 1: kind is not a string$/]],
    ["a list at the top", { "a.yaml": "- a\n" }, [/: line 1: not an object$/]],
    ["a readme", { "README.md": "# Title\n\nSome text.\n" }, [/^error: in0\/README\.md: line 1: not an object$/]],
    ["no text", { a: "\u0000\u0001\u0002" }, [/^error: in0\/a: /]],
    [
      "several at once",
      { a: "a: [", b: profileText("x", ({ spec }) => delete spec["cpu"]), c: profileText("..") },
      [
        /^error: in0\/a: line 1: /,
        /^error: in0\/c: PerformanceProfile: metadata\.name: /,
        /^error: in0\/b: PerformanceProfile x: spec\.cpu: Required value/,
      ],
    ],
  ])("%s, and writes nothing", async (_, files, errors) => {
    const assets = new AssetFolders(files, { good: profileText("good") });
    const { code, stderr } = await assets.render();
    expect([code, assets.names()]).toEqual([1, []]);
    expect(stderr.filter((line) => line.startsWith("error"))).toEqual(
      errors.map((line) => expect.stringMatching(line)),
    );
  });

  it.each<[string, (assets: AssetFolders) => string, RegExp]>([
    ["a folder that is not there", (assets) => assets.path("gone"), /^--asset-input-dir .*gone: no such folder$/],
    [
      "a link to nothing",
      (assets) => {
        symlinkSync("nowhere", assets.path("in0/link"));
        return assets.path("in0");
      },
      /ENOENT.*in0\/link/,
    ],
  ])("no %s", async (_, folder, message) => {
    const assets = new AssetFolders({ p: profileText("one") });
    await expect(assets.render({ assetInputDir: [folder(assets)] })).rejects.toThrow(message);
    expect(assets.names()).toEqual([]);
  });
});
