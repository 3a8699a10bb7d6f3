import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Program } from "../../src/program/cli/testing/program.ts";

/** The real program, killed with SIGKILL, on plain files in the place of kernel files. */
const settings = 400;
const folder = mkdtempSync(join(tmpdir(), "attune-kill-"));
let program: Program;

beforeAll(async () => {
  program = await Program.build();
});
afterAll(async () => {
  await program.remove();
  rmSync(folder, { recursive: true, force: true });
});

function put(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

function node(name: string): { root: string; profiles: string; value: (i: number) => string } {
  const root = join(folder, name);
  put(join(root, "proc/sys/kernel/random/boot_id"), "a-boot\n");
  for (let i = 0; i < settings; i++) put(join(root, `proc/sys/test/s${i}`), "old\n");
  const lines = Array.from({ length: settings }, (_, i) => `test.s${i}=new`);
  put(join(root, "profiles/many/tuned.conf"), `[sysctl]\n${lines.join("\n")}\n`);
  const value = (i: number): string => readFileSync(join(root, `proc/sys/test/s${i}`), "utf8").trim();
  return { root, profiles: join(root, "profiles"), value };
}

/** Kills the program before it gives the journal its name. */
const killer = `
const fs = require("node:fs");
const { renameSync } = fs;
fs.renameSync = (from, to) => (to.endsWith("/journal.json") ? process.kill(process.pid, "SIGKILL") : renameSync(from, to));
`;

it("a program that is killed while it replaces a file leaves nothing beside it for long (W-14)", async () => {
  const { root, profiles } = node("replace");
  const args = ["tuned", "apply", "many", "--engine", "native", "--root", root, "--dir", profiles];
  put(join(folder, "killer.cjs"), killer);
  const { signal } = await program.run(args, { NODE_OPTIONS: `--require ${join(folder, "killer.cjs")}` });
  expect(signal).toBe("SIGKILL");
  const unfinished = (): string[] => readdirSync(join(root, "var/lib/attune")).filter((name) => name.includes("new"));
  expect(unfinished()).toHaveLength(1);
  expect((await program.run(args)).code).toBe(0);
  expect(unfinished()).toEqual([]);
});

describe("an engine that is killed in the middle of a profile", () => {
  it.each([0, settings / 4, settings / 2, settings - 1])("after setting %i restores the true originals", async (at) => {
    const { root, profiles, value } = node(`at-${at}`);
    const args = ["tuned", "apply", "many", "--engine", "native", "--root", root, "--dir", profiles];
    const run = program.start(args);
    let ended = false;
    void run.ended.then(() => (ended = true));
    const isThere = (): boolean => ended || value(at) === "new";
    while (!isThere()) await new Promise((resolve) => setImmediate(resolve));
    await run.stop("SIGKILL");
    expect(value(at)).toBe("new");

    // Applied again from the middle, the values that the first run wrote are not taken for originals.
    expect((await program.run(args)).code).toBe(0);
    for (let i = 0; i < settings; i++) expect(value(i)).toBe("new");
    expect((await program.run(["tuned", "rollback", "--root", root])).code).toBe(0);
    for (let i = 0; i < settings; i++) expect(value(i)).toBe("old");
  });
});
