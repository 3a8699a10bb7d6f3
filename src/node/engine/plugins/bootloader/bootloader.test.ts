import { describe, expect, test } from "vitest";
import { MemoryBase } from "../../../host/memory-base.ts";
import { type MemoryCommand, MemoryHost } from "../../../host/memory-host.ts";
import { parseProfile } from "../../../../language/tuned/text/parse-profile.ts";
import { noAnswers } from "../../../../language/tuned/probe.ts";
import { resolve } from "../../../../language/tuned/resolve.ts";
import { nativeEngine } from "../../native-engine.ts";
import { complaints, expectedComplaints, expectedOutcome, outcomeOf, runCase } from "../../testing/plugin-bench.ts";
import { type Recorded, type RecordedCase, recordedCases } from "../../testing/recorded-case.ts";
import { bootloader } from "./bootloader.ts";

const state = "/etc/tuned/bootcmdline";

/** TuneD empties GRUB's environment block even if it never wrote to it; here that is not done. */
const undoesLess = new Set(["boot-nogrub", "boot-verify-mismatch"]);

/** TuneD leaves quotes that were not there; here a roll-back leaves the state file as it was. */
const asBefore = { rolled_back: { [state]: "TUNED_BOOT_CMDLINE=\nTUNED_BOOT_INITRD_ADD=\n" } };
const instead: Record<string, Partial<Recorded>> = {
  "boot-nogrub": asBefore,
  "boot-verify-mismatch": asBefore,
  "boot-bootc": asBefore,
  "boot-grub-bls": { rolled_back: { ...asBefore.rolled_back, "/etc/default/grub": "GRUB_ENABLE_BLSCFG=true\n" } },
};

describe("as TuneD", () => {
  test.each(recordedCases("25-plugin-bootloader").map((one) => [one.id, one] as const))("%s", async (_, one) => {
    const result = await runCase(one);
    expect(outcomeOf(result)).toEqual(expectedOutcome(one, instead[one.id]));
    expect(complaints(result).length > 0).toBe(expectedComplaints(one).length > 0);
    expect(result.commands.apply).toEqual(one.expect.apply_exec ?? []);
    expect(result.commands.rollback).toEqual(undoesLess.has(one.id) ? [] : (one.expect.rollback_exec ?? []));
  });
});

const empty = "TUNED_BOOT_CMDLINE=\nTUNED_BOOT_INITRD_ADD=\n";

function node(
  options: string,
  fs: Record<string, string> = {},
  exec: RecordedCase["input"]["exec"] = {},
): RecordedCase {
  const files = { "/etc/grub.d/00_tuned": "x", [state]: empty, ...fs };
  const input = { profile: `[bootloader]\n${options}\n`, fs: files, watch: [state], exec };
  return { id: "", input, expect: { applied: {}, rolled_back: {} } };
}

const grub = `### END /etc/grub.d/00_header ###
menuentry a {
  linux /vmlinuz
  initrd /initrd.img
}
`;

describe("GRUB", () => {
  test("is changed behind its links, and rolled back by removing the variables from the current files", async () => {
    const fs = {
      "/etc/grub2.cfg": "->/boot/grub2/grub.cfg",
      "/boot/grub2/grub.cfg": grub,
      "/etc/default/grub": "A=1\n",
    };
    const one = node("cmdline=a=1", fs);
    one.input.watch = ["/boot/grub2/grub.cfg", "/etc/default/grub"];
    one.input.fs_before_verify = {
      "/boot/grub2/grub.cfg": 'set tuned_params="a=1"\nmenuentry new {}\n',
    };
    const { applied, rolledBack } = await runCase(one);
    expect(applied["/boot/grub2/grub.cfg"]).toContain('set tuned_params="a=1"\n');
    expect(applied["/boot/grub2/grub.cfg"]).toContain("linux /vmlinuz $tuned_params\n");
    expect(applied["/etc/default/grub"]).toContain("$tuned_params");
    expect(rolledBack["/boot/grub2/grub.cfg"]).toBe("menuentry new {}\n");
    expect(rolledBack["/etc/default/grub"]).toBe("A=1\n");
  });

  test("is not changed again once it is as wanted", async () => {
    const fs = {
      [state]: 'TUNED_BOOT_CMDLINE="a=1"\nTUNED_BOOT_INITRD_ADD=""\n',
      "/boot/loader/entries/x.conf": "",
      "/boot/grub2/grubenv": "# GRUB Environment Block\ntuned_params=a=1\ntuned_initrd=\n####",
      "/proc/cmdline": "root=x a=1\n",
    };
    const { apply, verify, commands } = await runCase(node("cmdline=a=1", fs));
    expect(apply.settings).toMatchObject([{ type: "same" }]);
    expect(verify).toEqual({ differences: [] });
    expect(commands).toMatchObject({ apply: [], rollback: [] });
  });

  test("reports which arguments wait for the next boot, and what stands in their place", async () => {
    const { apply, verify } = await runCase(node("cmdline=a=1 b", { "/proc/cmdline": "b a=2\n" }));
    expect(apply.settings).toMatchObject([{ type: "set" }, { type: "skipped", level: "info" }]);
    expect(verify?.differences).toMatchObject([{ option: "cmdline", expected: "a=1", found: "a=2" }]);
  });

  test("never gets a text that a shell would run", async () => {
    const quoted = await runCase(node('cmdline=a="$(reboot)" b=\\x', {}));
    expect(quoted.applied[state]).toContain(String.raw`TUNED_BOOT_CMDLINE="a=\"\$(reboot)\" b=\\x"`);
    const refused = await runCase(node("cmdline=a=`reboot`"));
    expect(complaints(refused)).toHaveLength(1);
    expect(refused.applied[state]).toBe(empty);
  });

  test.each(["/usr/lib/x.cfg", "/etc/../usr/x", "/boot"])("is not searched in %s", async (path) => {
    const result = await runCase(node(`grub2_cfg_file=${path}\ncmdline=a`, { [path]: grub }));
    expect(complaints(result)).toHaveLength(1);
    expect(result.applied[state]).toBe(empty);
  });

  test("gets the arguments of the last of several units", async () => {
    const result = await runCase(node("cmdline=a=1\n[b]\ntype=bootloader\ncmdline=b=1"));
    expect(result.applied[state]).toContain('TUNED_BOOT_CMDLINE="b=1"');
    expect(complaints(result)).toHaveLength(1);
  });

  test("is changed only in grub2_cfg_file where the profile sets it", async () => {
    const fs = { "/boot/efi/grub.cfg": grub, "/boot/grub/grub.cfg": grub };
    const one = node("grub2_cfg_file=/boot/efi/grub.cfg\ncmdline=a=1", fs);
    one.input.watch = Object.keys(fs);
    const { applied } = await runCase(one);
    expect(applied["/boot/efi/grub.cfg"]).toContain("a=1");
    expect(applied["/boot/grub/grub.cfg"]).toBe(grub);
  });

  test("is not changed by a unit without arguments", async () => {
    expect((await runCase(node("cmdline=\ncmdline_a=+a\ncmdline_b=-a"))).apply.settings).toEqual([]);
  });
});

describe("rpm-ostree", () => {
  const exec = (state: string, kargs: string) => ({
    "rpm-ostree status": { rc: 0, out: `State: ${state}\nDeployments:\n` },
    "rpm-ostree kargs": { rc: 0, out: `${kargs}\n` },
    "rpm-ostree kargs --*": { rc: 0 },
  });

  test("adds arguments that are missing, and removes only those", async () => {
    const { commands, applied, rolledBack } = await runCase(
      node("cmdline=quiet a=1 b", {}, exec("idle", "root=x quiet")),
    );
    expect(commands.apply).toEqual(["rpm-ostree kargs --append=a=1 --append=b"]);
    expect(commands.rollback).toEqual(["rpm-ostree kargs --delete-if-present=a=1 --delete-if-present=b"]);
    expect(applied[state]).toContain('TUNED_BOOT_CMDLINE="a=1 b"');
    expect(rolledBack[state]).toBe(empty);
  });

  test("loses the arguments of an earlier TuneD profile in the same call", async () => {
    const fs = { [state]: 'TUNED_BOOT_CMDLINE="old=1"\n' };
    const { commands } = await runCase(node("cmdline=a=1", fs, exec("idle", "root=x old=1")));
    expect(commands.apply).toEqual(["rpm-ostree kargs --delete-if-present=old=1 --append=a=1"]);
  });

  test("is verified by the arguments of the next boot", async () => {
    const fs = { [state]: 'TUNED_BOOT_CMDLINE="a=1"\n', "/proc/cmdline": "root=x\n" };
    const { apply, verify } = await runCase(node("cmdline=a=1", fs, exec("idle", "root=x a=1")));
    expect(apply.settings).toMatchObject([{ type: "same" }]);
    expect(verify).toEqual({ differences: [] });
  });

  test.each([
    ["busy", exec("busy", "")],
    ["silent", { "rpm-ostree status": { rc: 0, out: "State: idle\n" } }],
  ])("is not changed while it is %s", async (_, answers) => {
    const result = await runCase(node("cmdline=a=1", {}, answers));
    expect(complaints(result)).toHaveLength(1);
    expect(result.commands.apply).toEqual([]);
  });

  test("supports no images", async () => {
    expect(complaints(await runCase(node("initrd_add_img=/tmp/x.img", {}, exec("idle", ""))))).toHaveLength(1);
  });
});

test("after any sequence of profiles, the kernel has its own arguments and those of the last profile", async () => {
  let kargs = ["root=x", "quiet"];
  const ostree: MemoryCommand = ([command, ...words]) => {
    for (const word of words) {
      const [, change, value = ""] = /^--(append|delete-if-present)=(.*)$/.exec(word) ?? [];
      if (change === "append") kargs.push(value);
      else kargs = kargs.filter((present) => present !== value);
    }
    return {
      type: "exited",
      code: 0,
      stdout: command === "status" ? "State: idle\n" : `${kargs.join(" ")}\n`,
      stderr: "",
    };
  };
  const files = Object.entries({
    "/etc/grub.d/00_tuned": "x",
    "/proc/sys/kernel/random/boot_id": "1\n",
    [state]: empty,
  });
  const host = new MemoryHost(new MemoryBase(files), [["rpm-ostree", ostree]]);
  const engine = nativeEngine([bootloader]);
  const apply = async (text: string): Promise<string> => {
    const resolution = resolve({ profile: "p", layers: [new Map([["p", parseProfile(text, "p")]])] }, noAnswers);
    if (resolution.type !== "resolved") throw new Error(JSON.stringify(resolution));
    await engine.apply(resolution.profile, host);
    return kargs.join(" ");
  };
  expect(await apply("[bootloader]\ncmdline=a=1 quiet b\n")).toBe("root=x quiet a=1 b");
  expect(await apply("[bootloader]\ncmdline=a=1 quiet b\n")).toBe("root=x quiet a=1 b");
  expect(await apply("[bootloader]\ncmdline=a=2 b\n")).toBe("root=x quiet a=2 b");
  // The next start of the machine changes nothing about what lasts.
  host.put("/proc/sys/kernel/random/boot_id", "2\n");
  expect(await apply("[main]\nsummary=none\n")).toBe("root=x quiet");
  await apply("[bootloader]\ncmdline=c\n");
  await engine.rollback(host);
  expect(kargs.join(" ")).toBe("root=x quiet");
  expect(await host.read(state)).toEqual({ type: "text", text: empty });
});

describe("bootc", () => {
  const exec = { "bootc*": { rc: 0 } };

  test("loses the arguments of a profile that no longer has any", async () => {
    const { commands } = await runCase(node("cmdline=", { [state]: 'TUNED_BOOT_CMDLINE="a=1"\n' }, exec));
    expect(commands.apply).toEqual(["bootc loader-entries set-options-for-source --source tuned"]);
  });

  test("is set again where the running kernel has other arguments than the state file", async () => {
    const noted = { [state]: 'TUNED_BOOT_CMDLINE="a=1"\n' };
    expect((await runCase(node("cmdline=a=1", noted, exec))).commands.apply).toHaveLength(1);
    const running = { ...noted, "/proc/cmdline": "a=1\n" };
    expect((await runCase(node("cmdline=a=1", running, exec))).commands.apply).toEqual([]);
  });
});

describe("an image", () => {
  const exec = {
    "install *": { rc: 0 },
    "sh *": { rc: 0 },
    "rm *": { rc: 0 },
    "cpio --version": { rc: 0 },
    "stat *": { rc: 0, out: "0 directory\n" },
  };
  const cmdline = { "/proc/cmdline": "BOOT_IMAGE=(hd0,gpt2)/boot/vmlinuz-6.12 root=x\n" };

  test("is copied to /boot before GRUB's configuration names it", async () => {
    const { commands, applied, rolledBack } = await runCase(node("initrd_add_img=/etc/tuned/t.img", cmdline, exec));
    expect(commands.apply).toEqual(["install -m 0644 -- /etc/tuned/t.img /boot/t.img"]);
    expect(applied[state]).toContain('TUNED_BOOT_INITRD_ADD="/boot/t.img"');
    expect(rolledBack[state]).toBe(empty);
  });

  test("is not made where its options are empty: TuneD takes them as unset", async () => {
    const options = "initrd_add_dir=\ninitrd_add_img=\ninitrd_dst_img=\ngrub2_cfg_file=\ncmdline=a=1";
    for (const answers of [exec, { "bootc*": { rc: 0 } }]) {
      const result = await runCase(node(options, {}, answers));
      expect(complaints(result)).toEqual([]);
      expect(result.applied[state]).toContain('TUNED_BOOT_CMDLINE="a=1"');
    }
  });

  test("is made from a directory, which is removed on request", async () => {
    const options = "initrd_add_dir=/tmp/d\ninitrd_dst_img=tuned-initrd.img\ninitrd_remove_dir=True";
    const { commands } = await runCase(node(options, {}, exec));
    expect(commands.apply).toHaveLength(2);
    expect(commands.apply[0]).toMatch(/ sh \/tmp\/d \/boot\/tuned-initrd\.img$/);
    expect(commands.apply[1]).toBe("rm -rf -- /tmp/d");
  });

  test("is made from the directory that the built-in script fills, also before it exists", async () => {
    const options = "initrd_add_dir=/run/attune/initrd\ninitrd_dst_img=i.img\ninitrd_remove_dir=True";
    const { commands } = await runCase(node(options, {}, { ...exec, "mkdir *": { rc: 0 }, "stat *": { rc: 1 } }));
    expect(commands.apply).toEqual([
      "mkdir -p -- /run/attune/initrd",
      expect.stringMatching(/ sh \/run\/attune\/initrd \/boot\/i\.img$/),
      "rm -rf -- /run/attune/initrd",
    ]);
  });

  test("that cannot be made here is left out, and the arguments are set", async () => {
    const { "cpio --version": _, ...without } = exec;
    const result = await runCase(node("initrd_add_dir=/tmp/d\ncmdline=a", {}, without));
    expect(complaints(result)).toHaveLength(1);
    expect(result.applied[state]).toContain('TUNED_BOOT_CMDLINE="a"');
  });

  test("that could not be made is not in GRUB's configuration", async () => {
    const { apply, applied } = await runCase(
      node("initrd_add_img=/tmp/t.img\ncmdline=a", {}, { "install *": { rc: 1 } }),
    );
    expect(apply.settings).toMatchObject([{ type: "failed" }, { type: "skipped" }]);
    expect(applied[state]).toBe(empty);
  });

  test.each([
    ["a kernel's", "initrd_add_img=/tmp/x\ninitrd_dst_img=vmlinuz", { "/boot/vmlinuz": "k" }, exec],
    ["a path", "initrd_add_img=/tmp/x\ninitrd_dst_img=../etc/passwd", {}, exec],
    ["a relative source", "initrd_add_img=x", {}, exec],
    ["a source that climbs", "initrd_add_img=/tmp/../etc/x", {}, exec],
    ["a directory elsewhere", "initrd_add_dir=/root/d", {}, exec],
    ["a directory of another user", "initrd_add_dir=/tmp/d", {}, { "stat *": { rc: 0, out: "1000 directory\n" } }],
    ["no directory", "initrd_add_dir=/tmp/d", {}, { "stat *": { rc: 1 } }],
    ["a way out of /tmp", "initrd_add_dir=/tmp/d", { "/tmp/d": "->/root" }, exec],
  ])("is refused: %s", async (_, options, fs, answers) => {
    const result = await runCase(node(options, fs, answers));
    expect(complaints(result)).toHaveLength(1);
    expect(result.commands.apply).toEqual([]);
    expect(result.applied[state]).toBe(empty);
  });

  test("stays when its directory is gone", async () => {
    const fs = { [state]: 'TUNED_BOOT_CMDLINE=""\nTUNED_BOOT_INITRD_ADD="/d"\n', "/boot/d": "image" };
    const { apply } = await runCase(node("initrd_add_dir=/tmp/d", fs));
    expect(apply.settings).toMatchObject([{ type: "same" }]);
  });
});

test("unknown options are reported, names that start with cmdline never are", async () => {
  const { apply } = await runCase(node("foo=1\ncmdlineXYZ=z", { "/proc/cmdline": "z\n" }));
  expect(apply.settings).toMatchObject([
    { option: "foo", type: "skipped", level: "warning" },
    { option: "cmdline", type: "set", value: "z" },
  ]);
});
