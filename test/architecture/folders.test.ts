import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { root, sources } from "./imports.ts";

const most = 25;

const files = sources();
const rooms = [...new Set(files.map(({ room }) => `src/${room}`))];
const folders = [...new Set(files.flatMap(({ folder }) => (folder === "" ? [] : [`src/${folder}`])))];

describe("folders", () => {
  it("are found", () => {
    expect(rooms).toHaveLength(6);
    expect(folders.length).toBeGreaterThan(15);
  });

  it.each([...rooms, ...folders])("%s has a README", (folder) => {
    expect(readme(folder)).not.toBe("");
  });

  it("have a README, or are named in the README of the folder above", () => {
    const all = new Set(files.map(({ path }) => dirname(path)));
    const deep = [...all].filter(
      (folder) => folder.split("/").length > 3 && !/\/(testing|generated)(\/|$)/.test(folder),
    );
    expect(deep.length).toBeGreaterThan(80);
    expect(deep.filter((folder) => readme(folder) === "" && !isNamedAbove(folder))).toEqual([]);
  });

  it(`have at most ${most} sources, without tests, their support and what is generated`, () => {
    const count = new Map<string, number>();
    for (const { path } of files)
      if (!/\/(testing|generated)\//.test(path)) count.set(dirname(path), (count.get(dirname(path)) ?? 0) + 1);
    expect([...count].filter(([, sources]) => sources > most)).toEqual([]);
  });
});

function readme(folder: string): string {
  const path = join(root, folder, "README.md");
  return existsSync(path) ? readFileSync(path, "utf8") : "";
}

function isNamedAbove(folder: string): boolean {
  return readme(dirname(folder)).includes(`\`${basename(folder)}/\``);
}
