import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { once } from "node:events";
import { watch } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { behindWait, waitThen } from "./wait.ts";

let folder: string;
const running = new Set<ChildProcess>();
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "attune-wait-"));
});
afterEach(async () => {
  for (const child of running) child.kill("SIGKILL");
  running.clear();
  await rm(folder, { recursive: true, force: true });
});

interface Run {
  readonly child: ChildProcess;
  readonly stdout: () => string;
  readonly stderr: () => string;
  readonly ended: Promise<{ code: number | null; signal: string | null }>;
}

function start(command: readonly string[], args: readonly string[] = [], env: NodeJS.ProcessEnv = process.env): Run {
  const [program = "", ...words] = [...waitThen(command, folder), ...args];
  const child = spawn(program, words, { stdio: ["ignore", "pipe", "pipe"], env });
  running.add(child);
  let stdout = "";
  let stderr = "";
  child.stdout?.on("data", (data: Buffer) => (stdout += data.toString()));
  child.stderr?.on("data", (data: Buffer) => (stderr += data.toString()));
  const ended = once(child, "close").then(([code, signal]) => ({ code: code as number, signal: signal as string }));
  return { child, stdout: () => stdout, stderr: () => stderr, ended };
}

/** The names of starts, once there are so many. */
async function starts(count: number): Promise<string[]> {
  for await (const _ of changes()) {
    const found = (await readdir(folder)).filter((name) => name.startsWith("start-"));
    if (found.length >= count) return found.map((name) => name.slice("start-".length)).toSorted();
  }
  throw new Error("unreachable");
}

async function* changes(): AsyncGenerator<void> {
  const watcher = watch(folder);
  try {
    for (;;) {
      const change = once(watcher, "change");
      yield;
      await change;
    }
  } finally {
    watcher.close();
  }
}
const open = (id: string): Promise<void> => writeFile(join(folder, `open-${id}`), "");

describe("the wait in front of a database", () => {
  it("becomes the database's own command, with its arguments, when it is let go on", async () => {
    const run = start(["sh", "-c", 'printf "%s|" "$0" "$@"; exit 7', "a b"], ["--smp", "$(x)", ""]);
    const [id = ""] = await starts(1);
    expect(run.stdout()).toBe("");
    await open(id);
    expect(await run.ended).toEqual({ code: 7, signal: null });
    expect(run.stdout()).toBe("a b|--smp|$(x)||");
    expect(run.stderr()).toContain("container attune-scylla-gate logs what for");
  });

  it("does not go on for what let the container before it go on (scylla W-13, scylla-operator#2213)", async () => {
    const first = start(["true"]);
    const [before = ""] = await starts(1);
    await open(before);
    expect((await first.ended).code).toBe(0);
    const second = start(["true"]);
    const known = await starts(2);
    const after = known.find((id) => id !== before) ?? "";
    await open("something-else");
    expect(second.child.exitCode).toBeNull();
    await open(after);
    expect((await second.ended).code).toBe(0);
  });

  it("ends when its pod is deleted", async () => {
    const run = start(["true"]);
    await starts(1);
    run.child.kill("SIGTERM");
    expect(await run.ended).toEqual({ code: 143, signal: null });
  });

  it("does not start the database if it cannot say that it waits", async () => {
    await rm(folder, { recursive: true });
    const run = start(["echo", "started"]);
    expect((await run.ended).code).toBe(1);
    expect([run.stdout(), run.stderr()]).toEqual(["", expect.stringContaining("cannot write to")]);
  });

  it("leaves signals and the mask of files to the database as they were", async () => {
    const run = start(["sh", "-c", "umask; kill -TERM $$"]);
    const [id = ""] = await starts(1);
    await open(id);
    const mask = process.umask().toString(8).padStart(4, "0");
    expect(await run.ended).toEqual({ code: null, signal: "SIGTERM" });
    expect(run.stdout().trim()).toBe(mask);
  });

  it("has nothing that Kubernetes expands in commands", () => {
    expect(waitThen([], "/x").join("\n")).not.toMatch(/\$[$(]/);
  });

  it("is found again in front of a command", () => {
    expect(behindWait(waitThen(["/a", "b"], "/x"))).toEqual(["/a", "b"]);
    expect([behindWait(["/bin/sh", "-c", "x"]), behindWait(undefined)]).toEqual([undefined, undefined]);
  });
});
