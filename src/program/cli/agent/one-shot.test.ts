import { mkdtemp, readdir, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { LinuxHost } from "../../../node/host/linux-host.ts";
import { saveRecord, type TuningRecord } from "../../../node/on-node/tuning-record.ts";
import { agentFirstBoot } from "./first-boot.ts";
import { agentOneShot } from "./one-shot.ts";
import { RecordingTerminal } from "../terminal/testing/recording-terminal.ts";
import { active } from "../tuned/active.ts";
import { rollback } from "../tuned/rollback.ts";
import { FakeRoot } from "../tuned/testing/fake-root.ts";

const recordPath = "/var/lib/attune/tuning.json";

function recordOf(data: string): TuningRecord {
  return {
    bootId: "boot-0",
    spec: { config: { tunedProfile: "quiet" }, profile: [{ name: "quiet", data }] },
    bootcmdline: "",
    complete: true,
  };
}

/** A tuned node after a restart: the kernel has its default values. */
async function restarted(data: string): Promise<FakeRoot> {
  const root = await FakeRoot.make();
  await saveRecord(new LinuxHost(root.path), recordOf(data));
  return root;
}

/** Returns the printed lines. */
async function tuned(root: FakeRoot): Promise<string[]> {
  const lines: string[] = [];
  await agentOneShot({ root: root.path, engine: "native" }, (line) => lines.push(line));
  return lines;
}

it("agent --first-boot leaves nothing below a root that is no machine's", async () => {
  const root = await mkdtemp(join(tmpdir(), "attune-first-boot-"));
  onTestFinished(() => rm(root, { recursive: true }));
  const flags = {
    root,
    node: undefined,
    tokenFile: "/etc/attune/first-boot.json",
    firstBootTimeout: 0,
    printUnit: false,
  };
  await expect(agentFirstBoot(flags)).rejects.toThrow("boot_id");
  expect(await readdir(root)).toEqual([]);
});

describe("attune agent --one-shot", () => {
  it("applies the profile from before the restart (W-22)", async () => {
    const root = await restarted("[sysctl]\nvm.swappiness=11\n");
    expect(await tuned(root)).toEqual(["applied quiet with the native engine: 1 setting"]);
    expect(await root.read("/proc/sys/vm/swappiness")).toBe("11");
  });

  it("leaves the record unchanged, from which the agent learns that the node has restarted", async () => {
    const root = await restarted("[sysctl]\nvm.swappiness=11\n");
    const before = await root.read(recordPath);
    await tuned(root);
    await tuned(root);
    expect(await root.read(recordPath)).toBe(before);
    expect(await root.read("/proc/sys/vm/swappiness")).toBe("11");
  });

  it("does nothing after a roll-back, until the agent has applied a profile again", async () => {
    const root = await restarted("[sysctl]\nvm.swappiness=11\n");
    await tuned(root);
    const terminal = new RecordingTerminal();
    expect(await rollback({ root: root.path, output: "table" }, terminal)).toBe(0);
    expect(await active({ root: root.path, output: "table" }, terminal)).toBe(1);
    expect(terminal.stdout).toContain("No current active profile.");
    expect(await tuned(root)).toEqual(["nothing to do: no profile was applied before"]);
    expect(await root.read("/proc/sys/vm/swappiness")).toBe("60");
  });

  it("does nothing on a node that was never tuned", async () => {
    const root = await FakeRoot.make();
    expect(await tuned(root)).toEqual(["nothing to do: no profile was applied before"]);
    expect(await root.read("/proc/sys/vm/swappiness")).toBe("60");
  });

  it("fails if the profile has become invalid", async () => {
    await expect(tuned(await restarted("nonsense\n"))).rejects.toThrow("apply quiet: ");
  });

  it("does not fail, and keep the kubelet from its start, where a setting fails: a kernel module may be loaded later", async () => {
    const root = await restarted("[sysctl]\nno.such=1\nvm.swappiness=11\n");
    expect(await tuned(root)).toEqual([
      "applied quiet with the native engine: 2 settings",
      "failed to set no.such: the agent will try again",
    ]);
    expect(await root.read("/proc/sys/vm/swappiness")).toBe("11");
  });

  it("refuses a root that does not exist, and creates nothing", async () => {
    const root = await restarted("[sysctl]\nvm.swappiness=11\n");
    const path = join(root.path, "typo");
    await expect(agentOneShot({ root: path, engine: "native" })).rejects.toThrow(`--root ${path}: no such directory`);
    expect(await readdir(root.path)).not.toContain("typo");
  });

  it("refuses a root that is no directory", async () => {
    const root = await restarted("[sysctl]\nvm.swappiness=11\n");
    const path = join(root.path, "proc/sys/vm/swappiness");
    await expect(agentOneShot({ root: path, engine: "native" })).rejects.toThrow(`--root ${path}: not a directory`);
  });

  it("does not lock through a link that leads out of the root", async () => {
    const root = await restarted("[sysctl]\nvm.swappiness=11\n");
    const outside = await mkdtemp(join(tmpdir(), "attune-outside-"));
    onTestFinished(() => rm(outside, { recursive: true }));
    await symlink(outside, join(root.path, "run"));
    await tuned(root);
    expect(await readdir(outside)).toEqual([]);
  });

  it("releases the lock of the node even if it fails", async () => {
    const root = await restarted("nonsense\n");
    await expect(tuned(root)).rejects.toThrow("quiet");
    await expect(tuned(root)).rejects.toThrow("quiet");
  });
});
