import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { build } from "esbuild";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { DirectoryLockedError, DirectoryModeError, lockDirectory } from "./lock-dir.ts";
import { ForeignFolderError } from "./own-folder.ts";

const isRoot = process.geteuid?.() === 0;
const hasNamespaces = spawnSync("unshare", ["--pid", "--net", "--fork", "true"]).status === 0;
if (!isRoot) console.warn("not run: directories of other users (only root can make one)");
if (!hasNamespaces) console.warn("not run: locks across namespaces (unshare is not permitted)");

let program: string;
let parent: string;
let dir: string;
const children: ChildProcess[] = [];

beforeAll(async () => {
  program = join(await mkdtemp(join(tmpdir(), "attune-holder-")), "holder.mjs");
  const contents = `import { lockDirectory } from "./lock-dir.ts";
    await lockDirectory(process.argv[2], { mode: "standalone" }).then(() => console.log("held " + process.pid), () => process.exit(3));
    setInterval(() => {}, 1e6);`;
  const stdin = { contents, resolveDir: import.meta.dirname };
  await build({ stdin, bundle: true, format: "esm", platform: "node", outfile: program, logLevel: "error" });
});
afterAll(() => rm(join(program, ".."), { recursive: true }));
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), "attune-lock-"));
  dir = join(parent, "state");
});
afterEach(async () => {
  for (const child of children.splice(0)) {
    child.kill("SIGCONT");
    child.kill("SIGKILL");
  }
  await rm(parent, { recursive: true });
});

const claims = (): string[] => readdirSync(dir).filter((name) => name.startsWith("lock."));
const lock = () => lockDirectory(dir, { mode: "standalone" });

/** Another process that holds the lock, or has failed to. Resolves to its pid as it sees it. */
async function holder(...wrapper: string[]): Promise<{ child: ChildProcess; pid: number | undefined }> {
  const [command, ...args] = [...wrapper, process.execPath, program, dir];
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"] });
  children.push(child);
  const held = new Promise<number>((resolve) => {
    createInterface({ input: child.stdout }).on("line", (line) => resolve(Number(line.split(" ")[1])));
  });
  return { child, pid: await Promise.race([held, once(child, "exit").then(() => undefined)]) };
}

test("a second lock fails until the first is released", async () => {
  const unlock = await lock();
  await expect(lock()).rejects.toThrow(DirectoryLockedError);
  await unlock();
  await (
    await lock()
  )();
  expect(claims()).toEqual([]);
});

test("another process holds it, also while it is stopped, and no longer once it is killed", async () => {
  const { child, pid } = await holder();
  await expect(lock()).rejects.toThrow(`process ${pid} is using it`);
  child.kill("SIGSTOP");
  await expect(lock()).rejects.toThrow(`process ${pid} is using it`);
  child.kill("SIGKILL");
  await once(child, "exit");
  await (
    await lock()
  )();
  expect(claims()).toEqual([]);
});

test.runIf(hasNamespaces)("a process in other pid and network namespaces holds it until it is killed", async () => {
  const { child, pid } = await holder("unshare", "--pid", "--net", "--fork", "--kill-child", "--mount-proc");
  expect(pid).toBe(1);
  await expect(lock()).rejects.toThrow(DirectoryLockedError);
  child.kill("SIGKILL");
  // Its process is not a child of this one: nothing else tells that it has ended.
  const unlock = await vi.waitFor(lock, { timeout: 100_000 });
  await unlock();
});

test.runIf(process.platform === "linux")("a zombie does not hold it", async () => {
  // The shell becomes a program that never collects its children.
  const { pid } = await holder("sh", "-c", '"$@" & exec sleep 1000', "sh");
  await expect(lock()).rejects.toThrow(DirectoryLockedError);
  process.kill(pid as number, "SIGKILL");
  const state = (): string => readFileSync(`/proc/${pid}/stat`, "utf8").replace(/.*\) /, "").slice(0, 1);
  // The kernel closes the socket with the last thread, which may end after the first.
  const threads = (): number => readdirSync(`/proc/${pid}/task`).length;
  while (state() !== "Z" || threads() > 1) await new Promise((resolve) => setImmediate(resolve));
  await (
    await lock()
  )();
});

test("of many that start at once, at most one holds it", async () => {
  const outcomes = await Promise.allSettled(Array.from({ length: 20 }, lock));
  const held = outcomes.filter(({ status }) => status === "fulfilled");
  expect(held.length).toBeLessThanOrEqual(1);
  for (const { value } of held as PromiseFulfilledResult<() => Promise<void>>[]) await value();
  await (
    await lock()
  )();
  expect(claims()).toEqual([]);
});

test("a claim that is no socket holds nothing", async () => {
  mkdirSync(dir);
  writeFileSync(join(dir, `lock.${process.pid}.1`), "");
  const unlock = await lock();
  expect(claims()).toHaveLength(1);
  await unlock();
});

test.runIf(process.platform === "linux")("a path longer than that of a socket can be locked", async () => {
  dir = join(parent, ..."abc".split("").map((letter) => letter.repeat(100)));
  const unlock = await lock();
  await expect(lock()).rejects.toThrow(DirectoryLockedError);
  await unlock();
  expect(readdirSync(dir)).toEqual(["mode"]);
});

test("a directory that is only locked is removed with the last lock, and with the mode that earlier versions wrote", async () => {
  await (
    await lock()
  )();
  expect(readdirSync(dir)).toEqual(["mode"]);
  await (
    await lockDirectory(dir, {})
  )();
  expect(readdirSync(parent)).toEqual([]);
});

test("a directory that is only locked stays if it has files", async () => {
  const unlock = await lockDirectory(dir, {});
  writeFileSync(join(dir, "tuned.pid"), "1");
  await unlock();
  expect(readdirSync(dir)).toEqual(["tuned.pid"]);
});

test("a lock that is requested while another process removes the directory is granted", async () => {
  const granted = async (): Promise<() => Promise<void>> =>
    lockDirectory(dir, {}).catch((error: unknown) => {
      if (error instanceof DirectoryLockedError) return granted();
      throw error;
    });
  let unlock = await granted();
  for (let turns = 0; turns < 100; turns++) [unlock] = await Promise.all([granted(), unlock()]);
  await unlock();
  expect(readdirSync(parent)).toEqual([]);
});

test("a directory of another mode is an error and stays as it is", async () => {
  await (
    await lockDirectory(dir, { mode: "hosted" })
  )();
  await expect(lock()).rejects.toThrow(DirectoryModeError);
  expect(claims()).toEqual([]);
  await (
    await lockDirectory(dir, { mode: "hosted" })
  )();
});

const modeOf = (path: string): number => statSync(path).mode & 0o7777;

test.each([[[]], [["mode"]], [["pki/ca.pem"]], [["lock.1.a"]]])(
  "a state directory with %j that others may read is closed to them",
  async (files) => {
    mkdirSync(dir);
    for (const file of files) {
      mkdirSync(dirname(join(dir, file)), { recursive: true });
      writeFileSync(join(dir, file), "");
    }
    chmodSync(dir, 0o755);
    const unlock = await lock();
    expect(modeOf(dir)).toBe(0o700);
    await unlock();
  },
);

test.each([0o1777, 0o777, 0o775, 0o722])("a directory of mode %o, which others may write, is refused", async (mode) => {
  mkdirSync(dir);
  chmodSync(dir, mode);
  await expect(lock()).rejects.toThrow(`use ${dir}: other users may write it: choose another directory`);
  expect(modeOf(dir)).toBe(mode);
  expect(readdirSync(dir)).toEqual([]);
});

test("a directory that others may read is refused if it holds other files, and stays open: it may be /etc", async () => {
  mkdirSync(join(dir, "pki"), { recursive: true });
  writeFileSync(join(dir, "passwd"), "");
  chmodSync(dir, 0o755);
  await expect(lock()).rejects.toThrow("it holds files that are not Attune's: choose another directory");
  expect(modeOf(dir)).toBe(0o755);
});

test.runIf(isRoot)("a directory with a file of another user keeps its mode", async () => {
  mkdirSync(dir);
  chmodSync(dir, 0o755);
  for (const file of ["mode", "other"]) writeFileSync(join(dir, file), "");
  chownSync(join(dir, "other"), 12345, 12345);
  await expect(lock()).rejects.toThrow("other: it belongs to user 12345");
  expect(modeOf(dir)).toBe(0o755);
});

test.runIf(isRoot).each(["", "ca.pem"])("a link to a folder in which another user made %j is refused", async (path) => {
  const target = join(parent, "target");
  mkdirSync(target);
  mkdirSync(dir, { mode: 0o700 });
  writeFileSync(join(target, "ca.pem"), "");
  chownSync(join(target, path), 12345, 12345);
  symlinkSync(target, join(dir, "pki"));
  await expect(lock()).rejects.toThrow("belongs to user 12345");
});

test("a link to a folder that others may write is refused, one that leads nowhere is not", async () => {
  const target = join(parent, "target");
  mkdirSync(dir, { mode: 0o700 });
  symlinkSync(target, join(dir, "pki"));
  const unlock = await lock();
  await unlock();
  mkdirSync(target);
  chmodSync(target, 0o777);
  await expect(lock()).rejects.toThrow(`use ${join(dir, "pki")}: other users may write it`);
});

test.runIf(isRoot).each(["", "pki", "pki/ca.pem", "mode"])(
  "a directory in which another user made %j is refused",
  async (path) => {
    mkdirSync(join(dir, "pki"), { recursive: true });
    for (const file of ["pki/ca.pem", "mode"]) writeFileSync(join(dir, file), "");
    chownSync(join(dir, path), 12345, 12345);
    await expect(lock()).rejects.toThrow(ForeignFolderError);
    await expect(lock()).rejects.toThrow("belongs to user 12345");
    expect(execFileSync("find", [dir, "-name", "lock.*"], { encoding: "utf8" })).toBe("");
  },
);
