import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { LinuxHost } from "./linux-host.ts";

function folder(): string {
  const root = mkdtempSync(join(tmpdir(), "attune-ledger-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  return root;
}

test("many processes of a node work on its ledger one after another, and leave nothing behind", async () => {
  const root = folder();
  mkdirSync(join(root, "run"));
  let inside = 0;
  const results = await Promise.all(
    Array.from({ length: 8 }, (_, index) =>
      // A host each, as processes have.
      new LinuxHost(root).exclusive(async () => {
        expect(++inside).toBe(1);
        await new LinuxHost(root).write("/etc/x", String(index));
        inside--;
        return index;
      }),
    ),
  );
  expect(results).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  expect(readdirSync(root)).toEqual(["etc", "run"]);
  expect(readdirSync(join(root, "run"))).toEqual([]);
});

test("a root that is no machine's is left as it was", async () => {
  const root = folder();
  expect(await new LinuxHost(root).exclusive(async () => readdirSync(root))).toEqual(["run"]);
  expect(readdirSync(root)).toEqual([]);
});

test("a process that is killed while it works frees the ledger", async () => {
  const root = folder();
  const held = join(root, "run/attune-ledger");
  mkdirSync(held, { recursive: true, mode: 0o700 });
  const script = `require("node:net").createServer().listen(process.argv[1] + "/lock." + process.pid + ".x", () => console.log("held"))`;
  const holder = spawn(process.execPath, ["-e", script, held], { stdio: ["ignore", "pipe", "inherit"] });
  await new Promise((resolve) => holder.stdout.once("data", resolve));
  let done = false;
  const waiting = new LinuxHost(root).exclusive(async () => {
    done = true;
  });
  const ended = new Promise((resolve) => holder.once("exit", resolve));
  expect(done).toBe(false);
  holder.kill("SIGKILL");
  await Promise.all([ended, waiting]);
  expect(done).toBe(true);
  expect(existsSync(held)).toBe(false);
});

test("the number of a directory's device is the one that stat(1) prints", async () => {
  const root = folder();
  const printed = spawnSync("stat", ["-c", "%D", root], { encoding: "utf8" }).stdout.trim();
  const number = Number.parseInt(printed, 16);
  expect(await new LinuxHost().device(root)).toBe(
    `${(number >> 8) & 0xfff}:${(number & 0xff) | ((number >> 12) & 0xfff00)}`,
  );
  expect(await new LinuxHost().device(join(root, "nosuch"))).toBeUndefined();
});
