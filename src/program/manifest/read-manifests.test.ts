import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, test } from "vitest";
import { boundedText, readManifests, type ReadManifests } from "./read-manifests.ts";

const object = (name: string): string => `apiVersion: v1\nkind: X\nmetadata: {name: ${name}}\n`;

async function read(
  files: Readonly<Record<string, string>>,
  paths: readonly string[],
  { recursive = false, stdin = "" } = {},
): Promise<ReadManifests & { shown: string[] }> {
  const dir = await mkdtemp(join(tmpdir(), "attune-files-"));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(join(dir, name, ".."), { recursive: true });
    await writeFile(join(dir, name), text);
  }
  const here = (text: string): string => text.replaceAll(`${dir}/`, "");
  const { manifests, problems } = await readManifests(
    paths.map((path) => (path === "-" ? path : join(dir, path))),
    { recursive, stdin: () => Promise.resolve(stdin) },
  );
  const shown = manifests.map((one) => `${one.object.metadata.name} in ${here(one.place)}`);
  return { manifests, problems: problems.map(here), shown };
}

describe("manifests", () => {
  const files = {
    "a.yaml": `${object("a1")}---\n${object("a2")}`,
    "b.json": JSON.stringify({ apiVersion: "v1", kind: "X", metadata: { name: "b" } }),
    "note.txt": "not a manifest",
    "below/c.yml": object("c"),
  };
  test.each([
    ["of a file", ["a.yaml"], {}, ["a1 in a.yaml, document 1", "a2 in a.yaml, document 2"]],
    ["of a file that is named otherwise", ["below/c.yml"], {}, ["c in below/c.yml"]],
    ["of a folder", ["."], {}, ["a1 in a.yaml, document 1", "a2 in a.yaml, document 2", "b in b.json"]],
    [
      "of folders below it",
      ["."],
      { recursive: true },
      ["a1 in a.yaml, document 1", "a2 in a.yaml, document 2", "b in b.json", "c in below/c.yml"],
    ],
    ["of standard input", ["-", "b.json"], { stdin: object("s") }, ["s in standard input", "b in b.json"]],
  ])("%s", async (_, paths, options, expected) => {
    const { shown, problems } = await read(files, paths, options);
    expect([shown, problems]).toEqual([expected, []]);
  });

  it("of a List are its items", async () => {
    const items = [{ apiVersion: "v1", kind: "X", metadata: { name: "x" } }];
    const list = JSON.stringify({ apiVersion: "v1", kind: "List", items });
    expect((await read({ "l.json": list }, ["l.json"])).shown).toEqual(["x in l.json"]);
  });

  it.each([
    ["is no file", "/dev/null", /l.yaml: neither a file nor a folder$/],
    ["leads nowhere", "/nowhere", /ENOENT.*l.yaml/],
  ])("of a folder are refused if an entry %s", async (_, target, message) => {
    const dir = await mkdtemp(join(tmpdir(), "attune-files-"));
    onTestFinished(() => rm(dir, { recursive: true, force: true }));
    await symlink(target, join(dir, "l.yaml"));
    await expect(readManifests([dir], { recursive: false, stdin: () => Promise.resolve("") })).rejects.toThrow(message);
  });

  it("of a missing path are refused", async () => {
    await expect(read({}, ["gone.yaml"])).rejects.toThrow(/^the path ".*gone.yaml" does not exist$/);
    const options = { recursive: false, stdin: () => Promise.resolve("") };
    await expect(readManifests(["ftp://a/b"], options)).rejects.toThrow(
      /: addresses begin with http:\/\/ or https:\/\/$/,
    );
  });

  it("without an end are refused", async () => {
    const endless = (async function* () {
      for (;;) yield new Uint8Array(10);
    })();
    await expect(boundedText(endless, "/dev/zero", 25)).rejects.toThrow(
      "read /dev/zero: it has more than 25 bytes, and is no file of manifests",
    );
  });
});

test.each([
  ["no YAML", "a: [", /^f.yaml: line 1: /],
  ["no YAML in its second document", `${object("x")}---\na: 1\nb: [\n`, /^f.yaml, document 2: line 7: /],
  ["no object", "- a\n", /^f.yaml: not an object$/],
  ["no kind", "apiVersion: v1\nmetadata: {name: x}\n", /: kind not set$/],
  ["no name", "apiVersion: v1\nkind: X\nmetadata: {generateName: x-}\n", /: X: metadata.name not set$/],
  ["a name that is a number", "apiVersion: v1\nkind: X\nmetadata: {name: 5}\n", /: X: metadata.name is not a string$/],
  [
    "a namespace that is none",
    "apiVersion: v1\nkind: X\nmetadata: {name: x, namespace: 5}\n",
    /namespace is not a string$/,
  ],
  ["a second document that is wrong", `${object("x")}---\nkind: 5\n`, /^f.yaml, document 2: apiVersion not set$/],
])("a manifest with %s is refused with its place", async (_, text, expected) => {
  const { problems } = await read({ "f.yaml": text }, ["f.yaml"]);
  expect(problems).toHaveLength(1);
  expect(problems[0]).toMatch(expected);
});
