import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parseProfile } from "../../language/tuned/text/parse-profile.ts";
import { noAnswers } from "../../language/tuned/probe.ts";
import { resolve } from "../../language/tuned/resolve.ts";
import type { CommandResult } from "../host/host.ts";
import { LinuxHost } from "../host/linux-host.ts";
import { MemoryBase } from "../host/memory-base.ts";
import { MemoryHost } from "../host/memory-host.ts";
import { repairDrift } from "./drift.ts";
import { nativeEngine } from "./native-engine.ts";

interface SharedFile {
  readonly path: string;
  readonly profile: string;
  readonly original: string;
  readonly applied: string;
  /** What another program makes of the file meanwhile. */
  readonly edit: (text: string) => string;
  /** After a roll-back: the other program's text, without ours. */
  readonly rolledBack: string;
  /** After a drift check, where the other program's text is elsewhere in the file then. */
  readonly repaired?: string;
}

const header = "# Please avoid changing this file, as it will\n# be overwritten by TuneD!\n[Manager]\n";
const grub = (kernels: string, params: string): string =>
  `### END /etc/grub.d/00_header ###\n\n### BEGIN /etc/grub.d/00_tuned ###\nset tuned_params="${params}"\nset tuned_initrd=""\n### END /etc/grub.d/00_tuned ###\n${kernels}`;
const kernel = (name: string): string =>
  `menuentry ${name} {\n  linux /${name} $tuned_params\n  initrd /i $tuned_initrd\n}\n`;
const unpatched = (name: string): string => `menuentry ${name} {\n  linux /${name}\n  initrd /i\n}\n`;
const overlays = `GRUB_CMDLINE_LINUX_DEFAULT="\${GRUB_CMDLINE_LINUX_DEFAULT:+$GRUB_CMDLINE_LINUX_DEFAULT }\\$tuned_params"\nGRUB_INITRD_OVERLAY="\${GRUB_INITRD_OVERLAY:+$GRUB_INITRD_OVERLAY }\\$tuned_initrd"\n`;

const overlay = "/etc/systemd/system/foo.service.d/over.conf";
const overlaySource = "/etc/tuned/profiles/a/over.conf";
const overlayText = "[Unit]\nAfter=x\n\n[Service]\nNice=1\n";

const files: SharedFile[] = [
  {
    path: "/etc/sysconfig/irqbalance",
    profile: "[irqbalance]\nbanned_cpus=2-3\n",
    original: "IRQBALANCE_BANNED_CPULIST=1\nFOO=1\n",
    applied: "IRQBALANCE_BANNED_CPULIST=2-3\nFOO=1\n",
    // CRI-O bans the CPUs of a pod that wants no interrupts.
    edit: (text) => `${text}IRQBALANCE_BANNED_CPUS="00000002"\n`,
    rolledBack: 'IRQBALANCE_BANNED_CPULIST=1\nFOO=1\nIRQBALANCE_BANNED_CPUS="00000002"\n',
  },
  {
    path: "/etc/systemd/system.conf.d/00-tuned.conf",
    profile: "[systemd]\ncpu_affinity=0-1\n",
    original: `${header}CPUAffinity=3\n`,
    applied: `${header}CPUAffinity=0 1\n`,
    edit: (text) => `${text}LogLevel=debug\n`,
    rolledBack: `${header}CPUAffinity=3\nLogLevel=debug\n`,
  },
  {
    path: "/boot/grub/grub.cfg",
    profile: "[bootloader]\ncmdline=a=1\n",
    original: `### END /etc/grub.d/00_header ###\n${unpatched("old")}`,
    applied: grub(kernel("old"), "a=1"),
    // A kernel is installed.
    edit: (text) => `${text}${kernel("new")}`,
    rolledBack: `### END /etc/grub.d/00_header ###\n${unpatched("old")}${unpatched("new")}`,
  },
  {
    path: "/etc/default/grub",
    profile: "[bootloader]\ncmdline=a=1\n",
    original: "A=1\n",
    applied: `A=1\n${overlays}`,
    edit: (text) => `GRUB_TIMEOUT=9\n${text}`,
    rolledBack: "GRUB_TIMEOUT=9\nA=1\n",
  },
  {
    // TuneD has been here: its variables stay, and are empty.
    path: "/boot/grub/grub.cfg",
    profile: "[bootloader]\ncmdline=a=1\n",
    original: grub(kernel("old"), ""),
    applied: grub(kernel("old"), "a=1"),
    edit: (text) => `${text}${kernel("new")}`,
    rolledBack: grub(kernel("old") + kernel("new"), ""),
  },
  {
    path: "/etc/tuned/bootcmdline",
    profile: "[bootloader]\ncmdline=a=1\n",
    original: "TUNED_BOOT_CMDLINE=\nTUNED_BOOT_INITRD_ADD=\n",
    applied: 'TUNED_BOOT_CMDLINE="a=1"\nTUNED_BOOT_INITRD_ADD=""\n',
    edit: (text) => `# read by grub\n${text}`,
    rolledBack: "# read by grub\nTUNED_BOOT_CMDLINE=\nTUNED_BOOT_INITRD_ADD=\n",
  },
  {
    // TuneD writes the whole file anew (Q13).
    path: "/etc/modprobe.d/tuned.conf",
    profile: "[modules]\nnetrom=nr_ndevs=2\nsnd-hda=power_save=1\n",
    original: "# head\noptions snd_hda power_save=9\noptions other x=1\n",
    applied: "# head\noptions snd-hda power_save=1\noptions other x=1\noptions netrom nr_ndevs=2\n",
    edit: (text) => `${text}blacklist floppy\n`,
    rolledBack: "# head\noptions snd_hda power_save=9\noptions other x=1\nblacklist floppy\n",
    repaired: "# head\noptions snd-hda power_save=1\noptions other x=1\nblacklist floppy\noptions netrom nr_ndevs=2\n",
  },
  {
    path: overlay,
    profile: `[service]\nservice.foo=file:${overlaySource}\n`,
    original: "[Service]\nNice=5\n",
    applied: overlayText,
    edit: (text) => text.replace("[Service]\n", "[Service]\nLimitNOFILE=9\n"),
    rolledBack: "[Service]\nNice=5\n[Service]\nLimitNOFILE=9\n",
    repaired: `${overlayText}[Service]\nLimitNOFILE=9\n`,
  },
];

function nodeWith({ path, original }: Pick<SharedFile, "path" | "original">): MemoryHost {
  const base = new MemoryBase([
    ["/proc/sys/kernel/random/boot_id", "boot-1\n"],
    ["/sys/devices/system/cpu/present", "0-3\n"],
    ["/proc/cmdline", "root=x\n"],
    ["/etc/systemd/system.conf", "[Manager]\n"],
    ["/etc/grub.d/00_tuned", "x"],
    ["/boot/grub/grub.cfg", unpatched("old")],
    [overlaySource, overlayText],
    [path, original],
  ]);
  const done = (): CommandResult => ({ type: "exited", code: 0, stdout: "", stderr: "" });
  return new MemoryHost(base, [
    ["systemctl", done],
    ["modinfo", done],
  ]);
}

function resolved(text: string) {
  const resolution = resolve({ profile: "a", layers: [new Map([["a", parseProfile(text, "a")]])] }, noAnswers);
  if (resolution.type !== "resolved") throw new Error(resolution.type);
  return resolution.profile;
}

async function textOf(host: MemoryHost, path: string): Promise<string | undefined> {
  const file = await host.read(path);
  return file.type === "text" ? file.text : undefined;
}

describe.each(files)("$path", (file) => {
  const { path, profile, original, applied, edit, rolledBack } = file;
  const start = async () => {
    const host = nodeWith({ path, original });
    const engine = nativeEngine();
    await engine.apply(resolved(profile), host);
    return { host, engine };
  };

  test("gets the profile's lines, and its own text back", async () => {
    const { host, engine } = await start();
    expect(await textOf(host, path)).toBe(applied);
    await engine.rollback(host);
    expect(await textOf(host, path)).toBe(original);
  });

  test("keeps lines of other programs in drift checks, applies and roll-backs", async () => {
    const { host, engine } = await start();
    host.put(path, edit(applied));
    expect(await repairDrift(host)).toEqual([]);
    expect(await textOf(host, path)).toBe(edit(applied));
    await engine.apply(resolved(profile), host);
    expect(await textOf(host, path)).toBe(edit(applied));
    await engine.rollback(host);
    expect(await textOf(host, path)).toBe(rolledBack);
  });

  test("gets its drifted line back, and keeps those of other programs", async () => {
    const { host, engine } = await start();
    await engine.apply(resolved(profile), host);
    host.put(path, edit(original));
    expect(await repairDrift(host)).not.toEqual([]);
    expect(await textOf(host, path)).toBe(file.repaired ?? edit(applied));
    expect(await repairDrift(host)).toEqual([]);
  });
});

test("a drop-in that another text replaces leaves none of its lines behind", async () => {
  const host = nodeWith({ path: overlay, original: "[Service]\nNice=5\n" });
  const engine = nativeEngine();
  const profile = resolved(`[service]\nservice.foo=file:${overlaySource}\n`);
  await engine.apply(profile, host);
  host.put(overlay, `${overlayText}LimitNOFILE=9\n`);
  host.put(overlaySource, "[Service]\nNice=2\n");
  await engine.apply(profile, host);
  // As in TuneD, the new text takes the place of the file; what others had in it comes back with the roll-back.
  expect(await textOf(host, overlay)).toBe("[Service]\nNice=2\n");
  expect(await repairDrift(host)).toEqual([]);
  await engine.rollback(host);
  expect(await textOf(host, overlay)).toBe("[Service]\nNice=5\n[Service]\nLimitNOFILE=9\n");
});

describe("a directory that a profile's file needs", () => {
  const drop = "system.conf.d";
  const rolledBack = async (present: readonly string[]): Promise<string[]> => {
    const root = await mkdtemp(join(tmpdir(), "attune-"));
    try {
      await mkdir(join(root, "proc/sys/kernel/random"), { recursive: true });
      await writeFile(join(root, "proc/sys/kernel/random/boot_id"), "boot-1\n");
      for (const folder of ["", ...present]) await mkdir(join(root, "etc/systemd", folder), { recursive: true });
      await writeFile(join(root, "etc/systemd/system.conf"), "[Manager]\n");
      const host = new LinuxHost(root);
      const engine = nativeEngine();
      await engine.apply(resolved("[systemd]\ncpu_affinity=0\n"), host);
      expect(await readdir(join(root, "etc/systemd", drop))).toEqual(["00-tuned.conf"]);
      await engine.rollback(host);
      return await readdir(join(root, "etc/systemd"));
    } finally {
      await rm(root, { recursive: true });
    }
  };

  test("is removed by a roll-back", async () => {
    expect(await rolledBack([])).toEqual(["system.conf"]);
  });

  test("stays where it was there before", async () => {
    expect(await rolledBack([drop])).toEqual(["system.conf", drop]);
  });
});
