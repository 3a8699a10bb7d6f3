import { describe, expect, test } from "vitest";
import { complaints, expectedComplaints, expectedOutcome, outcomeOf, runCase } from "../testing/plugin-bench.ts";
import { recordedCase, type RecordedCase } from "../testing/recorded-case.ts";

describe("as TuneD", () => {
  test.each([
    "systemd-soft",
    "selinux-none",
    "acpi",
    "cond-uname",
    "cond-uname-preset",
    "priority-order",
    "unknown-plugin",
  ])("%s", async (id) => {
    const one = recordedCase("26-plugin-others", id);
    const result = await runCase(one);
    expect(outcomeOf(result)).toEqual(expectedOutcome(one));
    expect(complaints(result).length > 0).toBe(expectedComplaints(one).length > 0);
  });
});

function own(profile: string, input: Partial<RecordedCase["input"]> = {}): RecordedCase {
  return { id: "own", input: { profile, watch: [], ...input }, expect: { applied: {}, rolled_back: {} } };
}

describe("systemd", () => {
  const path = "/etc/systemd/system.conf.d/00-tuned.conf";

  test.each([
    ["[Manager]\n#CPUAffinity=1\n", "[Manager]\n#CPUAffinity=1\nCPUAffinity=0 1\n"],
    ["[Manager]\nCPUAffinity = 3\nA=1\n", "[Manager]\nCPUAffinity=0 1\nA=1\n"],
  ])("changes the key in %j and nothing else", async (before, after) => {
    const result = await runCase(own("[systemd]\ncpu_affinity='0-1'\n", { fs: { [path]: before }, watch: [path] }));
    expect(result.applied[path]).toBe(after);
    expect(result.verify?.differences).toEqual([]);
    expect(result.rolledBack[path]).toBe(before);
  });

  test("is not configured on a node without systemd", async () => {
    const result = await runCase(own("[systemd]\ncpu_affinity=0\n"));
    expect(result.apply.settings).toMatchObject([{ type: "skipped", level: "info" }]);
  });
});

describe("selinux", () => {
  const path = "/sys/fs/selinux/avc/cache_threshold";

  test("has its cache raised, and restored by a roll-back", async () => {
    const result = await runCase(
      own("[selinux]\navc_cache_threshold=>8192\n", { fs: { [path]: "512" }, watch: [path] }),
    );
    expect([result.applied[path], result.rolledBack[path]]).toEqual(["8192", "512"]);
  });

  test("is not given a value that is not a number", async () => {
    const result = await runCase(own("[selinux]\navc_cache_threshold=many\n", { fs: { [path]: "512" } }));
    expect(complaints(result)).toEqual(['avc_cache_threshold: "many" is not a number']);
  });
});

describe("rtentsk", () => {
  test.each(["perl", "python3"])("has %s keep a socket open until the profile is rolled back", async (program) => {
    const result = await runCase(own("[rtentsk]\n", { exec: { [`${program}*`]: { rc: 0 } } }));
    expect(result.apply.settings).toMatchObject([{ type: "set", value: "open" }]);
    expect(result.rollback?.restored).toMatchObject([{ value: "closed" }]);
    expect(result.host.kept().size).toBe(0);
  });

  test("reports which programs are missing", async () => {
    const result = await runCase(own("[rtentsk]\n"));
    expect(complaints(result)).toHaveLength(1);
  });
});

describe("mounts", () => {
  const lsblk = [
    "disk 0 sda  ",
    "part 0 sda1 ext4 /",
    "part 0 sda2 xfs /data",
    "disk 0 sdb  ",
    "part 0 sdb1 ext4 /with\\x20blank",
    "disk 1 sdc  ",
    "part 1 sdc1 ext4 /usb",
  ].join("\n");
  const exec = { "lsblk*": { rc: 0, out: lsblk }, "mount*": { rc: 0 } };
  const fs = {
    "/proc/mounts":
      "/dev/sda1 / ext4 rw 0 0\n/dev/sdb1 /with\\040blank ext4 rw,barrier=1 0 0\n/dev/sda2 /data xfs rw 0 0\n",
    "/sys/block/sdb/device/scsi_disk/0:0/cache_type": "write back\n",
  };

  test.each([
    ["1", ["mount / -o remount,barrier=0"]],
    ["force", ["mount / -o remount,barrier=0", "mount /with blank -o remount,barrier=0"]],
    ["0", []],
  ])("go without barriers where that is safe: disable_barriers=%s", async (value, expected) => {
    const result = await runCase(own(`[mounts]\ndisable_barriers=${value}\n`, { exec, fs }));
    expect(result.commands.apply).toEqual(expected);
    expect(result.commands.rollback.toReversed()).toEqual(expected.map((line) => line.replace("=0", "=1")));
  });
});

describe("what is left to engine tuned", () => {
  test.each(["audio", "video", "usb", "eeepc_she"])("[%s] is reported", async (type) => {
    const places = ["class/sound", "class/drm", "bus/usb/devices", "devices/platform/eeepc"];
    const fs = Object.fromEntries(places.map((place) => [`/sys/${place}/0`, ""]));
    const there = await runCase(own(`[${type}]\nx=1\n`, { fs }));
    expect(complaints(there)).toEqual([`x: the native engine does not apply [${type}]; engine tuned does`]);
    const absent = await runCase(own(`[${type}]\nx=1\n`));
    expect(absent.apply.settings).toMatchObject([{ type: "skipped", level: "info" }]);
  });
});
