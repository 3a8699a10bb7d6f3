import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { bootArguments, enabledUnits, guestFiles, maskedUnits, programFolder } from "./guest-files.ts";
import { Machine } from "./machine.ts";

const suite = "bookworm";
const packages =
  "systemd-sysv udev dbus linux-image-cloud-amd64 initramfs-tools zstd grub-pc iproute2 ethtool procps kmod util-linux irqbalance libstdc++6 containerd runc".split(
    " ",
  );
const diskSize = "3G";
/** The partition begins at the first mebibyte; GRUB's core is before it. */
const partition = { offset: 1 << 20, kibibytes: 2_900_000 };

/** Makes GRUB boot this disk. On the guest itself, since GRUB's tools look at the devices below the root. */
const installGrub = `
set -e
mount -o remount,rw /usr
grub-install /dev/vda
update-grub
`;

/** Outside the repository: a guest of another clone is the same. */
const cache = process.env.ATTUNE_MACHINE_CACHE ?? join(homedir(), ".cache", "attune-real-machine");

/** The disk of a guest that boots by GRUB, from the cache or built anew where anything of its recipe changed. */
export async function guestDisk(): Promise<string> {
  mkdirSync(cache, { recursive: true });
  const debian = await cached("tar", [suite, packages], (path) => {
    const options = ["--variant=minbase", "--dpkgopt=force-unsafe-io", `--include=${packages.join(",")}`];
    run("mmdebstrap", ["--mode=root", "--format=tar", ...options, suite, path]);
  });
  const recipe = [
    suite,
    packages,
    guestFiles,
    enabledUnits,
    maskedUnits,
    installGrub,
    diskSize,
    partition,
    process.version,
  ];
  return cached("raw", recipe, (path) => build(debian, path));
}

async function cached(ending: string, recipe: object, make: (path: string) => Promise<void> | void): Promise<string> {
  const key = createHash("sha256").update(JSON.stringify(recipe)).digest("hex").slice(0, 16);
  const path = join(cache, `${key}.${ending}`);
  if (existsSync(path)) return path;
  console.log(`making a Debian guest for the tests: ${path}`);
  await make(`${path}.new`);
  renameSync(`${path}.new`, path);
  return path;
}

async function build(debian: string, raw: string): Promise<void> {
  const work = mkdtempSync(join(cache, "build-"));
  try {
    const root = join(work, "root");
    mkdirSync(root);
    run("tar", ["-xpf", debian, "-C", root]);
    furnish(root);
    rmSync(raw, { force: true });
    run("truncate", ["-s", diskSize, raw]);
    execFileSync("sfdisk", ["-q", raw], { input: "start=2048, type=83, bootable\n" });
    run("mke2fs", ["-q", "-t", "ext4", "-d", root, "-E", `offset=${partition.offset}`, raw, `${partition.kibibytes}k`]);
    await bootWithoutGrub(work, root, raw);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function furnish(root: string): void {
  for (const [path, { text, mode = 0o644 }] of Object.entries(guestFiles)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
    chmodSync(join(root, path), mode);
  }
  mkdirSync(join(root, programFolder), { recursive: true });
  cpSync(process.execPath, join(root, "usr/bin/node"), { dereference: true });
  // As on hosts that are built as images: what an administrator adds is outside of the read-only part.
  renameSync(join(root, "usr/local"), join(root, "var/usrlocal"));
  symlinkSync("../var/usrlocal", join(root, "usr/local"));
  run("chroot", [root, "systemctl", "enable", ...enabledUnits]);
  run("chroot", [root, "systemctl", "mask", ...maskedUnits]);
  run("chroot", [root, "update-initramfs", "-u"]);
}

async function bootWithoutGrub(folder: string, root: string, disk: string): Promise<void> {
  const inBoot = (start: string): string =>
    join(root, "boot", readdirSync(join(root, "boot")).find((name) => name.startsWith(start)) ?? start);
  const kernel = {
    image: inBoot("vmlinuz-"),
    initrd: inBoot("initrd.img-"),
    arguments: `root=/dev/vda1 ${bootArguments} quiet`,
  };
  const machine = await Machine.start({ folder, disk: { file: disk, format: "raw" }, kernel });
  try {
    await machine.run(installGrub, 900);
    await machine.powerOff();
  } finally {
    await machine.stop();
  }
}

function run(program: string, args: readonly string[]): void {
  execFileSync(program, args, { stdio: ["ignore", "ignore", "inherit"] });
}
