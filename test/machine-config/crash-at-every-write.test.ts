import { describe, expect, test } from "vitest";
import { machineBase, smallMachine } from "../../src/embedded/lab/machine-base.ts";
import { machine, type Machine } from "../../src/embedded/lab/machine.ts";
import { Crash, CrashingHost } from "../../src/node/engine/testing/crashing-host.ts";
import { serialQueue } from "../../src/node/host/serial-queue.ts";
import { NodeUpdater } from "../../src/node/on-node/machine-config/node-updater.ts";
import { type Config, diskOf, updateTo } from "./testing/updated-machine.ts";

const text = (value: string): { source: string } => ({ source: `data:,${encodeURIComponent(value)}` });
const service = (name: string): string =>
  `[Unit]\nDescription=${name}\n[Service]\nExecStart=/bin/true\n[Install]\nWantedBy=multi-user.target\n`;

/** Every kind of change between the two: added, changed, removed; contents, mode, owner, target, switch. */
const old: Config = {
  name: "rendered-old",
  spec: {
    kernelArguments: ["quiet", "old=1"],
    config: {
      ignition: { version: "3.5.0" },
      storage: {
        files: [
          { path: "/etc/changed", mode: 0o600, contents: text("1") },
          { path: "/etc/removed", contents: text("1") },
          { path: "/etc/foreign", contents: text("ours") },
          { path: "/etc/deep/er/file", contents: text("1") },
        ],
        directories: [{ path: "/etc/directory", mode: 0o700 }],
        links: [{ path: "/etc/link", target: "/etc/changed" }],
      },
      systemd: {
        units: [
          { name: "changed.service", enabled: true, contents: service("one") },
          { name: "removed.service", enabled: true, contents: service("two") },
          {
            name: "masked.service",
            contents: service("three"),
            dropins: [{ name: "a.conf", contents: "[Service]\n" }],
          },
        ],
      },
      passwd: { users: [{ name: "core", sshAuthorizedKeys: ["ssh-ed25519 AAAA one"] }] },
    },
  },
};
const next: Config = {
  name: "rendered-new",
  spec: {
    kernelArguments: ["new=1", "quiet", 'spaced="a b"'],
    config: {
      ignition: { version: "3.5.0" },
      storage: {
        files: [
          { path: "/etc/changed", mode: 0o640, user: { name: "core" }, contents: text("2") },
          { path: "/etc/added", contents: text("1") },
        ],
        directories: [{ path: "/etc/directory", mode: 0o750 }],
        links: [{ path: "/etc/link", target: "/etc/added" }],
      },
      systemd: {
        units: [
          { name: "changed.service", enabled: false, contents: service("other") },
          { name: "masked.service", mask: true },
          { name: "added.service", enabled: true, contents: service("four") },
        ],
      },
      passwd: { users: [{ name: "core", sshAuthorizedKeys: ["ssh-ed25519 AAAA two"] }] },
    },
  },
};

const base = machineBase(smallMachine);

/** A machine with a user, a file that no config wrote, and a config. */
async function updated(config?: Config): Promise<Machine> {
  const made = machine(base, "boot-1");
  await made.replace("/etc/passwd", "root:x:0:0::/root:/bin/sh\ncore:x:1000:1000::/home/core:/bin/sh\n");
  await made.replace("/etc/group", "root:x:0:\ncore:x:1000:\n");
  await made.replace("/etc/foreign", "theirs", { mode: 0o444, uid: 7, gid: 8 });
  if (config) await updateTo(config, made);
  return made;
}

/** GRUB moves quotes to the beginning of an argument. */
function argumentsOf({ spec }: Config): string {
  return (spec.kernelArguments ?? []).map((word) => word.replace(/^(\w+=)"/, '"$1')).join(" ");
}

async function release(host: Machine): Promise<void> {
  expect(await new NodeUpdater({ host, exclusive: serialQueue() }).release()).toEqual([]);
}

const ends: [string, (host: Machine) => Promise<unknown>, Config | undefined][] = [
  ["the next start finishes the new config", (host) => updateTo(next, host), next],
  ["the old config is in force where it is wanted again", (host) => updateTo(old, host), old],
  ["nothing is left where the agent is removed", release, undefined],
];

describe("a node whose update is cut off", () => {
  describe.each(["process killed", "power cut"] as const)("(%s)", (how) => {
    test.each(ends)("at any write: %s", { timeout: 120_000 }, async (_, end, reached) => {
      const expected = await diskOf(await updated(reached));
      let points = 0;
      for (let crashed = true; crashed; points++) {
        const host = await updated(old);
        const cut = await updateTo(next, host, new CrashingHost(host, points, "before")).catch(
          (error: unknown) => error,
        );
        crashed = cut instanceof Crash;
        if (!crashed && cut instanceof Error) throw cut;
        if (how === "power cut") {
          host.stop("power cut");
          await host.boot();
        }
        await end(host);
        expect(await diskOf(host), `before change ${points}`).toEqual(expected);
        const cmdline = await host.read("/proc/cmdline");
        if (reached) expect(cmdline).toMatchObject({ text: expect.stringContaining(argumentsOf(reached)) });
        expect(await host.list("/boot/grub")).toEqual(expect.arrayContaining(reached ? ["custom.cfg"] : ["grub.cfg"]));
      }
      expect(points).toBeGreaterThan(30);
    });
  });
});

test("an update that is not cut off needs one boot, and its contents alone need none again", async () => {
  const host = await updated(old);
  expect(await updateTo(next, host)).toBe(1);
  expect(await updateTo(next, host)).toBe(0);
  await release(host);
  expect(await diskOf(host)).toEqual(await diskOf(await updated()));
  expect(await host.list("/var/lib/attune")).toEqual([]);
});
