import { describe, expect, test } from "vitest";
import { resolve, type ResolvedProfile } from "../../language/tuned/resolve.ts";
import { parseProfile } from "../../language/tuned/text/parse-profile.ts";
import type { CommandResult, Host } from "../host/host.ts";
import { MemoryBase } from "../host/memory-base.ts";
import { MemoryHost } from "../host/memory-host.ts";
import { repairDrift } from "./drift.ts";
import { journalPath } from "./journal.ts";
import { nativeEngine } from "./native-engine.ts";
import type { Follow } from "./plugin.ts";
import { Crash, CrashingHost } from "./testing/crashing-host.ts";
import { schedulerProfile, TaskNode, type Thread } from "./testing/scheduler-node.ts";

const swappiness = "/proc/sys/vm/swappiness";
const resync: Follow = { occasion: "resync" };
const readahead = (disk: string): string => `/sys/block/${disk}/queue/read_ahead_kb`;
const done: CommandResult = { type: "exited", code: 0, stdout: "", stderr: "" };

function profileOf(text: string): ResolvedProfile {
  const resolved = resolve({ profile: "p", layers: [new Map([["p", parseProfile(text, "p/tuned.conf")]])] }, new Map());
  if (resolved.type !== "resolved") throw new Error(JSON.stringify(resolved));
  return resolved.profile;
}

function node(commands: ConstructorParameters<typeof MemoryHost>[1] = []): MemoryHost {
  const host = new MemoryHost(
    new MemoryBase([
      ["/proc/sys/kernel/random/boot_id", "boot\n"],
      [swappiness, "60\n"],
    ]),
    commands,
  );
  addDisk(host, "sda");
  return host;
}

function addDisk(host: MemoryHost, disk: string): void {
  host.put(`/sys/block/${disk}/removable`, "0\n");
  host.put(readahead(disk), "128\n");
}

async function valueOf(host: Host, path: string): Promise<string> {
  const file = await host.read(path);
  return file.type === "text" ? file.text.trim() : file.type;
}

const appeared = (...devices: string[]): Follow => ({ occasion: "devices", devices: new Set(devices) });
const engine = nativeEngine();

describe("a profile that is followed", () => {
  test("has no drift where the kernel keeps less, also by a journal that does not say so", async () => {
    const path = "/proc/sys/vm/nr_hugepages";
    class SmallNode extends MemoryHost {
      override write(written: string, text: string): ReturnType<MemoryHost["write"]> {
        return super.write(written, written === path ? "3" : text);
      }
    }
    const boot = ["/proc/sys/kernel/random/boot_id", "boot\n"] as const;
    const host = new SmallNode(new MemoryBase([boot, [path, "0\n"]]), []);
    const profile = profileOf("[sysctl]\nvm.nr_hugepages=10\n");
    const set = { type: "set", value: "10", note: 'the kernel made it "3"' };
    expect((await engine.apply(profile, host)).settings).toMatchObject([set]);
    expect((await engine.follow?.(profile, host, resync))?.settings).toEqual([]);
    expect(await repairDrift(host)).toEqual([]);
    const journal = await valueOf(host, journalPath);
    expect(journal).toContain(',"kept":"3"');
    host.put(journalPath, journal.replace(',"kept":"3"', ""));
    const [again] = (await engine.apply(profile, host)).settings;
    expect(again).toMatchObject(set);
    expect(again).not.toHaveProperty("drifted");
  });

  test("names the beginning of a large file that another process wrote, not all of it", async () => {
    const config = "/boot/grub/grub.cfg";
    const text = `### END /etc/grub.d/00_header ###\nlinux /vmlinuz\n${"# entry\n".repeat(1000)}`;
    const host = node();
    host.put("/etc/grub.d/00_tuned", "x");
    host.put(config, text);
    await engine.apply(profileOf("[bootloader]\ncmdline=a=1\n"), host);
    host.put(config, text);
    const [drift] = await repairDrift(host);
    expect(drift?.found).toHaveLength(101);
    expect(await valueOf(host, config)).toContain('set tuned_params="a=1"');
  });

  test("has nothing due while all is as it was set, also where a later unit overrides an earlier one", async () => {
    const host = node();
    const profile = profileOf("[sysctl]\nvm.swappiness=1\n[b]\ntype=sysctl\nvm.swappiness=2\n[disk]\nreadahead=4096\n");
    await engine.apply(profile, host);
    expect((await engine.apply(profile, host)).settings.filter((setting) => "drifted" in setting)).toEqual([]);
    const before = new Map(host.changes());
    expect((await engine.follow?.(profile, host, resync))?.settings).toEqual([]);
    expect(host.changes()).toEqual(before);
    host.put(swappiness, "77\n");
    expect((await engine.follow?.(profile, host, resync))?.settings).toMatchObject([
      { type: "set", unit: "b", value: "2", drifted: true },
    ]);
  });

  test("runs the scripts of a unit for new devices only, and no other script", async () => {
    const calls: string[] = [];
    const script = (args: readonly string[]): CommandResult => {
      calls.push(args.join(" "));
      return done;
    };
    const host = node([["s.sh", script]]);
    const path = "/etc/tuned/profiles/s.sh";
    await host.replace(path, "#!/bin/sh\n");
    const profile = profileOf(`[disk]\nscript_pre=${path}\nreadahead=4096\n[script]\nscript=${path}\n`);
    await engine.apply(profile, host);
    calls.length = 0;
    addDisk(host, "sdb");
    await engine.follow?.(profile, host, appeared("sdb"));
    await engine.follow?.(profile, host, resync);
    expect(calls).toEqual(["apply sdb"]);
  });

  test("reloads no module at a resync", async () => {
    const calls: string[] = [];
    const modprobe = (args: readonly string[]): CommandResult => {
      calls.push(args.join(" "));
      return done;
    };
    const host = node([
      ["modprobe", modprobe],
      ["modinfo", () => done],
    ]);
    const profile = profileOf("[modules]\nkvm=+r nx=1\n");
    await engine.apply(profile, host);
    expect(calls.length).toBeGreaterThan(0);
    calls.length = 0;
    await engine.follow?.(profile, host, resync);
    expect(calls).toEqual([]);
  });

  test("claims what a new device has already, so that its change by another process is drift", async () => {
    const host = node();
    const profile = profileOf("[disk]\nreadahead=4096\n");
    await engine.apply(profile, host);
    addDisk(host, "sdb");
    host.put(readahead("sdb"), "4096\n");
    expect((await engine.follow?.(profile, host, appeared("sdb")))?.settings).toMatchObject([{ type: "same" }]);
    await host.write(readahead("sdb"), "8");
    expect(await repairDrift(host)).toMatchObject([{ target: readahead("sdb"), expected: "4096", found: "8" }]);
  });

  test("reports what cannot be set on a new device, and nothing of others", async () => {
    const host = node();
    const profile = profileOf("[disk]\nreadahead=fast\n");
    await engine.apply(profile, host);
    addDisk(host, "sdb");
    expect((await engine.follow?.(profile, host, appeared("sdb")))?.settings).toMatchObject([
      { type: "failed", device: "sdb" },
    ]);
  });

  test("and killed at any change is rolled back to the true originals", async () => {
    const profile = profileOf("[sysctl]\nvm.swappiness=10\n[disk]\nreadahead=4096\n");
    const follow = async (change: number, when: "before" | "after"): Promise<MemoryHost | undefined> => {
      const host = node();
      await engine.apply(profile, host);
      for (const disk of ["sdb", "sdc"]) addDisk(host, disk);
      try {
        await engine.follow?.(profile, new CrashingHost(host, change, when), appeared("sdb", "sdc"));
        return undefined;
      } catch (error) {
        if (!(error instanceof Crash)) throw error;
        return host;
      }
    };
    for (const when of ["before", "after"] as const) {
      let change = 0;
      for (let host = await follow(0, when); host; host = await follow(++change, when)) {
        await engine.rollback(host);
        const values = await Promise.all(
          [swappiness, ...["sda", "sdb", "sdc"].map(readahead)].map((path) => valueOf(host, path)),
        );
        expect(values, `${when} change ${change}`).toEqual(["60", "128", "128", "128"]);
      }
      expect(change).toBeGreaterThan(2);
    }
  });
});

describe("tasks", () => {
  const db: Thread = { tid: 12, comm: "db", command: "/usr/bin/mydb", policy: "o", cpus: "0-7" };

  test("that a rule has set are verified and set back, others are not verified", async () => {
    const threads = [{ ...db }, { tid: 13, comm: "sh", command: "sh", cpus: "0-7" }];
    const host = new TaskNode(threads);
    const profile = schedulerProfile("group.db=0:f:10:*:mydb", "isolated_cores=2-7");
    await engine.apply(profile, host);
    expect((await engine.verify(profile, host)).differences).toEqual([]);
    for (const thread of threads) {
      Object.assign(thread, { policy: "o", cpus: "2" });
      host.show(thread);
    }
    expect((await engine.verify(profile, host)).differences).toMatchObject([
      { device: "db (12)", expected: "fifo 10", drifted: true },
    ]);
    expect((await engine.follow?.(profile, host, resync))?.settings).toMatchObject([
      { device: "db (12)", drifted: true },
    ]);
  });

  test("that pin themselves to isolated CPUs after the profile was applied stay there", async () => {
    const later: Thread = { tid: 14, comm: "dpdk", command: "dpdk", cpus: "2" };
    const host = new TaskNode([]);
    const profile = schedulerProfile("isolated_cores=2-7");
    await engine.apply(profile, host);
    host.show(later);
    expect((await engine.follow?.(profile, host, resync))?.settings).toEqual([]);
    expect(host.runs).toEqual([]);
  });
});
