import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
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
    expect(existsSync(join(root, folder, "README.md"))).toBe(true);
  });

  it(`have at most ${most} sources, without tests, their support and what is generated`, () => {
    const count = new Map<string, number>();
    for (const { path } of files)
      if (!/\/(testing|generated)\//.test(path)) count.set(dirname(path), (count.get(dirname(path)) ?? 0) + 1);
    expect([...count].filter(([, sources]) => sources > most)).toEqual([]);
  });
});
