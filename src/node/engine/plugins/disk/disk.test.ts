import { describe, expect, test } from "vitest";
import { complaints, expectedComplaints, expectedOutcome, outcomeOf, runCase } from "../../testing/plugin-bench.ts";
import { type Recorded, type RecordedCase, recordedCases } from "../../testing/recorded-case.ts";

/** TuneD writes a scheduler that is in force already; a plain file keeps that text, the kernel's would not. */
const unwritten = { "/sys/block/vdb/queue/scheduler": "mq-deadline [none]" };
const deviations: Record<string, (expected: Recorded) => Partial<Recorded>> = {
  "disk-elevator": ({ applied, rolled_back }) => ({
    applied: { ...applied, ...unwritten },
    rolled_back: { ...rolled_back, ...unwritten },
  }),
};

describe("as TuneD", () => {
  test.each(recordedCases("23-plugin-disk").map((one) => [one.id, one] as const))("%s", async (_, one) => {
    const result = await runCase(one);
    expect(outcomeOf(result)).toEqual(expectedOutcome(one, deviations[one.id]?.(one.expect)));
    expect(complaints(result).length > 0).toBe(expectedComplaints(one).length > 0);
  });
});

const readahead = "/sys/block/sda/queue/read_ahead_kb";

function node(
  options: string,
  fs: Record<string, string> = {},
  exec: RecordedCase["input"]["exec"] = {},
): RecordedCase {
  const devices = { block: { sda: { devtype: "disk", parent_subsystem: "scsi" } } };
  const input = { profile: `[disk]\n${options}\n`, fs, watch: Object.keys(fs), devices, exec };
  return { id: "", input, expect: { applied: {}, rolled_back: {} } };
}

describe("readahead", () => {
  test.each([
    ["Q12: sectors are verified as the KiB they stand for", "readahead=8193 s", "128", "4096"],
    ["sectors need a blank", "readahead=8192s", "128", "128"],
    ["only lowers", "readahead=<64", "128", "64"],
    ["does not raise what should only be lowered", "readahead=<256", "128", "128"],
    ["multiplies what it just set", "readahead=100\nreadahead_multiply=2", "128", "200"],
    ["takes a factor with an exponent", "readahead_multiply=2e1", "10", "200"],
    ["takes no factor that is none", "readahead_multiply=0x10", "128", "128"],
    ["takes no factor beyond all bounds", "readahead_multiply=1e300", "128", "128"],
  ])("%s", async (_, options, before, expected) => {
    const result = await runCase(node(options, { [readahead]: `${before}\n` }));
    expect(outcomeOf(result)).toEqual({
      applied: { [readahead]: expected },
      rolledBack: { [readahead]: before },
      verified: true,
    });
  });

  test("is multiplied once, however often the profile is applied", async () => {
    const one = node("readahead_multiply=2", { [readahead]: "128\n" });
    one.input.rollback = "none";
    const { host } = await runCase(one);
    const again = node("readahead_multiply=2");
    again.input.fs = Object.fromEntries([...host.changes()].map(([path, text]) => [path, text ?? ""]));
    again.input.watch = [readahead];
    expect(outcomeOf(await runCase(again))).toMatchObject({
      applied: { [readahead]: "256" },
      rolledBack: { [readahead]: "128" },
    });
  });
});

describe("disks", () => {
  test.each([
    ["without a bus behind them", { block: { dm: { devtype: "disk" } } }, "dm"],
    [
      "with a slash in the name",
      { block: { "cciss!c0d0": { devtype: "disk", parent_subsystem: "scsi" } } },
      "cciss/c0d0",
    ],
    ["of a bus that TuneD does not know", { block: { sdz: { devtype: "disk", parent_subsystem: "usb" } } }, undefined],
    ["that can be taken out", { block: { sr0: { devtype: "disk", removable: "1" } } }, undefined],
  ])("%s", async (_, devices, device) => {
    const names = Object.keys(devices.block);
    const fs = Object.fromEntries(names.map((name) => [`/sys/block/${name}/queue/scheduler`, "[none] bfq\n"]));
    const one = node("elevator=bfq", fs);
    const { apply } = await runCase({ ...one, input: { ...one.input, devices } });
    expect(apply.settings).toMatchObject([device === undefined ? { type: "skipped" } : { type: "set", device }]);
  });

  test("a disk without a scheduler is skipped", async () => {
    const { apply, verify } = await runCase(node("elevator=none"));
    expect(apply.settings).toMatchObject([{ type: "skipped", level: "warning", device: "sda" }]);
    expect(verify).toEqual({ differences: [] });
  });

  test("one of several schedulers verifies as passed, and is written as it is", async () => {
    const path = "/sys/block/sda/queue/scheduler";
    const { apply, verify } = await runCase(node("elevator=none|bfq", { [path]: "[bfq] none\n" }));
    expect(apply.settings).toMatchObject([{ type: "same" }]);
    expect(verify).toEqual({ differences: [] });
  });
});

test.each([
  ["^ID_SERIAL=abc$", ["sda"]],
  ["DEVNAME=/dev/sdb", ["sdb"]],
  ["^SUBSYSTEM=block", ["sda", "sdb"]],
  ["^ID_SERIAL=def$", []],
])("devices_udev_regex=%s finds %j", async (pattern, expected) => {
  const disks = Object.fromEntries(
    ["sda", "sdb"].map((name) => [`/sys/block/${name}/queue/scheduler`, "[none] bfq\n"]),
  );
  const one = node(`devices_udev_regex=${pattern}\nelevator=bfq`, {
    ...disks,
    "/sys/block/sda/dev": "8:0\n",
    "/sys/block/sdb/uevent": "MAJOR=8\nDEVNAME=sdb\n",
    "/run/udev/data/b8:0": "S:disk/by-id/x\nE:ID_SERIAL=abc\n",
  });
  const block = { sda: { devtype: "disk" }, sdb: { devtype: "disk" } };
  const { apply } = await runCase({ ...one, input: { ...one.input, devices: { block } } });
  expect(apply.settings.flatMap(({ device }) => device ?? [])).toEqual(expected);
});

describe("scheduler_quantum", () => {
  const path = "/sys/block/sda/queue/iosched/quantum";
  test.each([
    ["16", { [path]: "8\n" }, "set"],
    ["8", { [path]: "8\n" }, "same"],
    ["many", { [path]: "8\n" }, "failed"],
    ["16", {}, "skipped"],
  ])("%s on %j is %s", async (value, fs, type) => {
    const { apply } = await runCase(node(`scheduler_quantum=${value}`, fs));
    expect(apply.settings).toMatchObject([{ type, device: "sda" }]);
  });
});

describe("power of a disk", () => {
  const exec = {
    "hdparm -C /dev/sda": { rc: 0, out: " drive state is:  active/idle\n" },
    "hdparm -B /dev/sda": { rc: 0, out: "\n/dev/sda:\n APM_level\t= 254\n" },
    "hdparm -*": { rc: 0 },
  };

  test.each([
    ["apm=128", ["hdparm -B 128 /dev/sda"], ["hdparm -B 254 /dev/sda"]],
    ["apm=254", [], []],
    ["apm=<200", ["hdparm -B 200 /dev/sda"], ["hdparm -B 254 /dev/sda"]],
    ["spindown=60", ["hdparm -S 60 /dev/sda"], ["hdparm -S 253 /dev/sda"]],
  ])("%s", async (options, applied, undone) => {
    const { commands, apply } = await runCase(node(options, {}, exec));
    expect(commands).toMatchObject({ apply: applied, rollback: undone });
    expect(apply.settings).toMatchObject([{ device: "sda" }]);
  });

  test("spindown cannot be read, so it is not verified", async () => {
    expect((await runCase(node("spindown=60", {}, exec))).verify).toEqual({ differences: [] });
  });

  test.each(["apm=--security-erase", "apm=256", "spindown=-1"])(
    "%s never becomes a word of a command",
    async (options) => {
      const result = await runCase(node(options, {}, exec));
      expect(complaints(result)).toHaveLength(1);
      expect(result.commands.apply).toEqual([]);
    },
  );

  test.each([
    ["without hdparm", {}, "warning"],
    ["of one that it cannot manage", { "hdparm -C*": { rc: 0, out: "unknown" } }, "info"],
    ["of one that it cannot open", { "hdparm -C*": { rc: 25, out: "" } }, "info"],
  ])("is not changed %s", async (_, answers, level) => {
    const { apply } = await runCase(node("apm=128\nspindown=1", {}, answers));
    expect(apply.settings).toMatchObject([
      { type: "skipped", level },
      { type: "skipped", level },
    ]);
  });
});

test("load-driven tuning is reported only if the profile asks for it", async () => {
  expect((await runCase(node("dynamic=1"))).apply.settings).toMatchObject([{ type: "skipped" }]);
  expect((await runCase(node("dynamic=0"))).apply.settings).toEqual([]);
});
