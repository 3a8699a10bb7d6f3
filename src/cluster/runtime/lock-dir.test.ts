import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { DirectoryLockedError, DirectoryModeError, lockDirectory } from "./lock-dir.ts";

// Only procfs can tell a process from a later one with the same pid.
const testOnLinux = test.runIf(process.platform === "linux");
let dir: string;
let child: ChildProcess | undefined;

beforeEach(async () => {
  dir = join(await mkdtemp(join(tmpdir(), "attune-lock-")), "state");
});

afterEach(async () => {
  child?.kill("SIGKILL");
  child = undefined;
  await rm(join(dir, ".."), { recursive: true });
});

const claims = async (): Promise<string[]> => (await readdir(dir)).filter((name) => name.startsWith("lock."));

/** The claim of another process: ours, renamed to its pid and start time. */
async function claimOf(pid: number, start: string): Promise<void> {
  await writeFile(join(dir, `lock.${pid}.${start}`), "");
}

async function ownStart(): Promise<string> {
  const unlock = await lockDirectory(dir, { mode: "standalone" });
  const [claim = ""] = await claims();
  await unlock();
  return claim.split(".").slice(2).join(".");
}

test("a second lock fails until the first is released", async () => {
  const unlock = await lockDirectory(dir, { mode: "standalone" });
  await expect(lockDirectory(dir, { mode: "standalone" })).rejects.toThrow(DirectoryLockedError);
  await unlock();
  await (
    await lockDirectory(dir, { mode: "standalone" })
  )();
  expect(await claims()).toEqual([]);
});

testOnLinux("the claim of a living process holds, and outlives it by nothing when it is killed", async () => {
  const boot = (await ownStart()).split("-")[0];
  child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1e6)"], { stdio: "ignore" });
  await once(child, "spawn");
  const pid = child.pid!;
  const stat = await readFile(`/proc/${pid}/stat`, "utf8");
  await claimOf(pid, `${boot}-${stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19]}`);

  await expect(lockDirectory(dir, { mode: "standalone" })).rejects.toThrow(`process ${pid} is using it`);
  expect(await claims()).toHaveLength(1);

  child.kill("SIGKILL");
  await once(child, "exit");
  await (
    await lockDirectory(dir, { mode: "standalone" })
  )();
  expect(await claims()).toEqual([]);
});

testOnLinux("a claim whose pid now belongs to a younger process is stale", async () => {
  const start = await ownStart();
  await claimOf(process.pid, `${start}0`);
  await claimOf(process.ppid, start);
  const unlock = await lockDirectory(dir, { mode: "standalone" });
  expect(await claims()).toEqual([`lock.${process.pid}.${start}`]);
  await unlock();
});

test("a directory of another mode is an error and stays as it is", async () => {
  await (
    await lockDirectory(dir, { mode: "hosted" })
  )();
  await expect(lockDirectory(dir, { mode: "standalone" })).rejects.toThrow(DirectoryModeError);
  expect(await claims()).toEqual([]);
  await (
    await lockDirectory(dir, { mode: "hosted" })
  )();
});
