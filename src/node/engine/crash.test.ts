import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Host } from "../host/host.ts";
import { LinuxHost } from "../host/linux-host.ts";
import { MemoryBase } from "../host/memory-base.ts";
import { MemoryHost } from "../host/memory-host.ts";
import { parseProfile } from "../../language/tuned/text/parse-profile.ts";
import { noAnswers } from "../../language/tuned/probe.ts";
import { type ResolvedProfile, resolve } from "../../language/tuned/resolve.ts";
import { journalPath, loadJournal } from "./journal.ts";
import { nativeEngine } from "./native-engine.ts";
import { Crash, CrashingHost } from "./testing/crashing-host.ts";

const files: Record<string, string> = {
  "/proc/sys/kernel/random/boot_id": "boot-1\n",
  "/proc/sys/vm/swappiness": "60\n",
  "/proc/sys/vm/dirty_bytes": "0\n",
  "/proc/sys/vm/dirty_ratio": "20\n",
  "/proc/sys/net/core/somaxconn": "128\n",
  "/sys/k/real/wb/cpumask": "ff\n",
  "/sys/k/empty": "\n",
  "/etc/systemd/system.conf": "[Manager]\n",
  "/etc/modprobe.d/tuned.conf": "# head\n",
};
const links: [string, string][] = [["/sys/k/alias", "/sys/k/real/wb"]];

const first = `
[sysctl]
vm.swappiness=11
net.core.somaxconn=>1024
[sysfs]
/sys/k/alias/cpumask=03
/sys/k/empty=1
[systemd]
cpu_affinity=0
`;
const second = `
[sysctl]
net.core.somaxconn=>512
[sysfs]
/sys/k/real/*/cpumask=01
[modules]
kvm=a=1
`;
/** Needs a kernel and systemd, which only the node in memory imitates. */
const firstWithMore = `${first}[vm]\ndirty_bytes=67108864\n[service]\nservice.foo=stop,disable\n`;
const secondWithMore = `${second}[vm]\ndirty_bytes=30%\n[service]\nservice.foo=start\n`;

function profile(text: string): ResolvedProfile {
  const resolution = resolve({ profile: "p", layers: [new Map([["p", parseProfile(text, "p")]])] }, noAnswers);
  if (resolution.type !== "resolved") throw new Error(JSON.stringify(resolution));
  return resolution.profile;
}

/** Keeps the state of one service in a file of the host. */
function systemctl([verb]: readonly string[], host: MemoryHost): ReturnType<MemoryHost["run"]> {
  const now = async (): Promise<string[]> => {
    const file = await host.read("/service");
    return file.type === "text" ? file.text.split(" ") : [];
  };
  const exited = (code: number, stdout = ""): Awaited<ReturnType<MemoryHost["run"]>> => {
    return { type: "exited", code, stdout, stderr: "" };
  };
  return now().then(([running = "", enabled = ""]) => {
    if (verb === "is-active") return exited(running === "running" ? 0 : 3);
    if (verb === "is-enabled") return exited(0, enabled);
    if (verb === "restart" || verb === "stop")
      host.put("/service", `${verb === "stop" ? "stopped" : "running"} ${enabled}`);
    if (verb === "enable" || verb === "disable") host.put("/service", `${running} ${verb}d`);
    return exited(0);
  });
}

async function memory(): Promise<{ host: Host; state: () => Promise<Record<string, string>> }> {
  const host = new MemoryHost(new MemoryBase([...Object.entries(files), ["/service", "running enabled"]], [], links), [
    ["systemctl", systemctl],
    ["modinfo", () => ({ type: "exited", code: 0, stdout: "", stderr: "" })],
  ]);
  const state = async (): Promise<Record<string, string>> => ({
    ...(await texts(host)),
    ...(await texts(host, ["/service"])),
  });
  return { host, state };
}

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "attune-crash-"));
});
afterAll(() => rm(folder, { recursive: true }));

/** Real files. The service is not among them: there is no systemctl below a folder. */
async function real(): Promise<{ host: Host; state: () => Promise<Record<string, string>> }> {
  const root = await mkdtemp(join(folder, "root-"));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  await symlink("real/wb", join(root, "/sys/k/alias"));
  const host = new LinuxHost(root);
  return { host, state: () => texts(host) };
}

async function texts(host: Host, paths = [...Object.keys(files), "/etc/systemd/system.conf.d/00-tuned.conf"]) {
  const found: Record<string, string> = {};
  for (const path of paths) {
    const file = await host.read(path);
    found[path] = file.type === "text" ? file.text.trim() : "missing";
  }
  return found;
}

/** Kills `work` at every change it makes, each time on a fresh node; `then` must leave the node as it was. */
async function atEveryChange(
  make: typeof memory,
  prepare: (host: Host) => Promise<unknown>,
  work: (host: Host) => Promise<unknown>,
  then: (host: Host) => Promise<unknown>,
): Promise<number> {
  for (let change = 0; ; change++) {
    let crashes = 0;
    for (const when of ["before", "after"] as const) {
      const { host, state } = await make();
      const original = await state();
      await prepare(host);
      const outcome = await work(new CrashingHost(host, change, when)).catch((error: unknown) => error);
      if (outcome instanceof Crash) crashes++;
      await then(host);
      expect(await state(), `killed ${when} change ${change}`).toEqual(original);
      expect((await loadJournal(host)).ledger.entries()).toEqual([]);
    }
    if (crashes === 0) return change;
  }
}

const nothing = async (): Promise<void> => {};
// A new engine for each step, as in another process: only the node keeps state.
const apply = (what: ResolvedProfile) => (host: Host) => nativeEngine().apply(what, host);
const rollback = (host: Host): Promise<unknown> => nativeEngine().rollback(host);

describe.each([
  ["in memory", memory, profile(firstWithMore), profile(secondWithMore)],
  ["of real files", real, profile(first), profile(second)],
] as const)("killed at any change on a node %s, the engine restores every original", (_, make, one, other) => {
  test("after applying", async () => {
    expect(await atEveryChange(make, nothing, apply(one), rollback)).toBeGreaterThan(5);
  });

  test("after applying, and applying again", async () => {
    await atEveryChange(make, nothing, apply(one), async (host) => {
      await apply(one)(host);
      await rollback(host);
    });
  });

  test("after a change of profiles", async () => {
    expect(await atEveryChange(make, apply(one), apply(other), rollback)).toBeGreaterThan(5);
  });

  test("after a change of profiles and back", async () => {
    await atEveryChange(make, apply(one), apply(other), async (host) => {
      await apply(one)(host);
      await rollback(host);
    });
  });

  test("after a roll-back", async () => {
    expect(await atEveryChange(make, apply(one), rollback, rollback)).toBeGreaterThan(5);
  });
});

test("the journal is readable by its owner alone, and written once for an apply", async () => {
  const { host } = await real();
  let written = 0;
  const counting: Host = Object.create(host, {
    replace: {
      value: (path: string, text: string, mode?: number) => {
        if (path === journalPath) written++;
        return host.replace(path, text, mode);
      },
    },
    ...Object.fromEntries(
      (["read", "write", "stat", "remove", "list", "real", "run", "exclusive"] as const).map((name) => [
        name,
        { value: (host[name] as (...args: never[]) => unknown).bind(host) },
      ]),
    ),
  }) as Host;
  await apply(profile(first))(counting);
  expect(written).toBe(1);
  await apply(profile(first))(counting);
  expect(written).toBe(1);
});
