import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { noLog } from "../../../cluster/runtime/log/log.ts";
import { consoleFile, newLink, startOwnConsole } from "./running-console.ts";

async function folder(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), "attune-console-"));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  return dir;
}

async function redeem(link: string | undefined): Promise<number> {
  const { origin, hash } = new URL(link ?? "");
  const headers = { Origin: origin, "Content-Type": "application/json" };
  const body = JSON.stringify({ token: hash.slice(1) });
  return (await fetch(`${origin}/api/session`, { method: "POST", headers, body })).status;
}

it("gives new links to those who may read its file, for as long as it runs", async () => {
  const dir = await folder();
  const stop = new AbortController();
  const { signal } = stop;
  const running = await startOwnConsole(dir, { clusters: [], port: 0, signal, log: noLog });
  const file = join(dir, consoleFile);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const [first, second] = [running.link(), await newLink(dir)];
  expect(first).not.toBe(second);
  expect([await redeem(first), await redeem(second), await redeem(second)]).toEqual([200, 200, 401]);
  const access = await readFile(file, "utf8");
  stop.abort();
  await running.stopped;
  expect(await newLink(dir)).toBeUndefined();
  // One that was killed leaves its file.
  await writeFile(file, access);
  expect(await newLink(dir)).toBeUndefined();
});

it("gives no link where none runs, or where the file is not its own", async () => {
  const dir = await folder();
  expect(await newLink(dir)).toBeUndefined();
  for (const text of ["", "{", `{"url":1}`]) {
    await writeFile(join(dir, consoleFile), text);
    expect(await newLink(dir)).toBeUndefined();
  }
});
