import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

/** The real program, killed for real, on files that stand for a kernel's. */
const settings = 400;
const folder = mkdtempSync(join(tmpdir(), "attune-kill-"));
const program = join(folder, "dist/attune.mjs");

beforeAll(async () => {
  await build({
    entryPoints: { attune: join(import.meta.dirname, "../../src/cli/main.ts") },
    outdir: join(folder, "dist"),
    outExtension: { ".js": ".mjs" },
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    external: ["lmdb"],
    logLevel: "error",
    banner: { js: 'import{createRequire as __cr}from"node:module";const require=__cr(import.meta.url);' },
  });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

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

describe("an engine that is killed in the middle of a profile", () => {
  it.each([0, settings / 4, settings / 2, settings - 1])(
    "after setting %i has the true originals still",
    async (at) => {
      const { root, profiles, value } = node(`at-${at}`);
      const args = [program, "tuned", "apply", "many", "--engine", "native", "--root", root, "--dir", profiles];
      const child = spawn(process.execPath, args, { stdio: "ignore" });
      const ended = new Promise<NodeJS.Signals | null>((resolve) => child.once("exit", (_, signal) => resolve(signal)));
      const runs = (): boolean => child.exitCode === null && child.signalCode === null;
      while (runs() && value(at) !== "new") await new Promise((resolve) => setImmediate(resolve));
      child.kill("SIGKILL");
      await ended;
      expect(value(at)).toBe("new");

      // Applied again from the middle, the values that the first try left are nobody's originals.
      expect(spawnSync(process.execPath, args, { stdio: "ignore" }).status).toBe(0);
      for (let i = 0; i < settings; i++) expect(value(i)).toBe("new");
      const rollback = spawnSync(process.execPath, [program, "tuned", "rollback", "--root", root], { stdio: "ignore" });
      expect(rollback.status).toBe(0);
      for (let i = 0; i < settings; i++) expect(value(i)).toBe("old");
    },
  );
});
