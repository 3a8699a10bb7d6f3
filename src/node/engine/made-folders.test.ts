import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { LinuxHost } from "../host/linux-host.ts";
import { loadJournal, saveJournal } from "./journal.ts";
import type { Ledger } from "./ledger.ts";
import { putBack } from "./put-back.ts";

const owner = "test";
let root: string;
let host: LinuxHost;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "attune-folders-"));
  onTestFinished(() => rm(root, { recursive: true }));
  await mkdir(join(root, "proc/sys/kernel/random"), { recursive: true });
  await writeFile(join(root, "proc/sys/kernel/random/boot_id"), "b");
  await mkdir(join(root, "etc/there"), { recursive: true });
  host = new LinuxHost(root);
});

/** The journal first, then the files, as an engine does. */
async function write(...paths: string[]): Promise<void> {
  const journal = await loadJournal(host);
  for (const path of paths) claim(journal.ledger, path);
  await saveJournal(host, journal);
  for (const path of paths) await host.replace(path, "x");
}

function claim(ledger: Ledger, path: string): void {
  const actions = [{ type: "file", path, text: "x" }] as const;
  const undo = [{ type: "file", path, text: null }] as const;
  const change = { type: "change", target: path, before: "", value: "x", actions, undo, lasts: "persistent" } as const;
  ledger.claim(change, { owner, from: "", value: "x", actions, made: true });
}

async function rollBack(...paths: string[]): Promise<void> {
  const journal = await loadJournal(host);
  const which = ({ target }: { target: string }): boolean => paths.length === 0 || paths.includes(target);
  await putBack({ ledger: journal.ledger, host, owner, which });
  await saveJournal(host, journal);
}

const tree = (): Promise<string[]> => readdir(join(root, "etc"), { recursive: true }).then((names) => names.toSorted());

test("folders that files needed are removed with the last of them, and others stay", async () => {
  await write("/etc/new/deep/a", "/etc/new/b", "/etc/there/c");
  await rollBack("/etc/new/deep/a");
  expect(await tree()).toEqual(["new", "new/b", "there", "there/c"]);
  await rollBack();
  expect(await tree()).toEqual(["there"]);
  expect(await host.read("/var/lib/attune/journal.json")).toEqual({ type: "missing" });
});

test("a folder that a file of the profile before needed is removed with a file of the next", async () => {
  await write("/etc/new/a");
  await write("/etc/new/b");
  await rollBack("/etc/new/a");
  await rollBack();
  expect(await tree()).toEqual(["there"]);
});

test("a folder with a file of another stays, and is forgotten", async () => {
  await write("/etc/new/a");
  await writeFile(join(root, "etc/new/mine"), "");
  await rollBack();
  expect(await tree()).toEqual(["new", "new/mine", "there"]);
  expect(await host.read("/var/lib/attune/journal.json")).toEqual({ type: "missing" });
});

test("what a killed process had begun to write is removed, also where the original is in place", async () => {
  await write("/etc/there/a");
  await rm(join(root, "etc/there/a"));
  await writeFile(join(root, "etc/there/.a.attune-new"), "hal");
  await rollBack();
  expect(await tree()).toEqual(["there"]);
});

test("folders are known before the first file is written: a killed process leaves none", async () => {
  const journal = await loadJournal(host);
  claim(journal.ledger, "/etc/new/a");
  await saveJournal(host, journal);
  await mkdir(join(root, "etc/new"));
  await rollBack();
  expect(await tree()).toEqual(["there"]);
});
