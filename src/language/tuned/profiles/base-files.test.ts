import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { baseScripts } from "./base-files.ts";

/** Answers as systemd would where ksm runs and an administrator has masked ksmtuned. */
const systemctl = `#!/bin/sh
case $* in
  "is-enabled ksmtuned") echo masked; exit 1 ;;
  is-enabled*) echo enabled ;;
  "is-active --quiet ksm") ;;
  is-active*) exit 3 ;;
  cat*) ;;
  *) echo "$*" >>"$CALLS" ;;
esac
`;

let root = "";
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "attune-script-"));
});
afterEach(() => rmSync(root, { recursive: true }));

function put(path: string, text: string): string {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

/** The script of a profile, on the files below the root. */
function callOf(profile: string, ...args: string[]): void {
  const [, text = ""] = [...baseScripts()].find(([path]) => path.endsWith(`/${profile}/script.sh`)) ?? [];
  const moved = text.replaceAll(/(?<![\w}])\/(?=(?:sys|etc|var|run|proc)\/)/g, `${root}/`);
  const env = {
    PATH: `${join(root, "bin")}:${process.env.PATH}`,
    CALLS: join(root, "calls"),
    TUNED_tmpdir: join(root, "elsewhere"),
  };
  execFileSync("sh", [put("script.sh", moved), ...args], { env });
}

function calls(): string {
  return existsSync(join(root, "calls")) ? readFileSync(join(root, "calls"), "utf8") : "";
}

describe("cpu-partitioning's script", () => {
  const run = "/sys/kernel/mm/ksm/run";
  const call = (...args: string[]): void => callOf("cpu-partitioning", ...args);

  test("leaves same-page merging as it was", () => {
    const file = put(run, "1\n");
    chmodSync(put("bin/systemctl", systemctl), 0o755);
    mkdirSync(join(root, "etc/modprobe.d"), { recursive: true });
    call("start");
    // The agent applies the profile again after a restart.
    call("start");
    expect(readFileSync(file, "utf8")).toBe("2\n");
    const masked = "--now --quiet mask ksm\n";
    expect(calls()).toBe(masked.repeat(2));
    call("stop", "full_rollback");
    expect(readFileSync(file, "utf8")).toBe("1\n");
    const restored = `${masked.repeat(2)}--quiet unmask ksm\nstart ksm\n`;
    expect(calls()).toBe(restored);
    call("stop", "full_rollback");
    expect(calls()).toBe(restored);
  });

  test("keeps what it adds to the initrd in one directory until rollback, wherever a variable points", () => {
    chmodSync(put("bin/systemctl", "#!/bin/sh\nexit 1\n"), 0o755);
    mkdirSync(join(root, "etc/modprobe.d"), { recursive: true });
    const dropIn = put("etc/systemd/system.conf.d/00-tuned.conf", "[Manager]\n");
    const staged = join(root, "run/attune/initrd");
    const left = put("run/attune/initrd/left", "by the last call");
    call("start");
    expect(readFileSync(join(staged, dropIn), "utf8")).toBe("[Manager]\n");
    expect([existsSync(left), existsSync(join(root, "elsewhere"))]).toEqual([false, false]);
    call("stop", "full_rollback");
    expect(existsSync(staged)).toBe(false);
  });

  test("does nothing where the kernel has no such pages", () => {
    chmodSync(put("bin/systemctl", "#!/bin/sh\nexit 1\n"), 0o755);
    mkdirSync(join(root, "etc/modprobe.d"), { recursive: true });
    call("start");
    call("stop", "full_rollback");
    expect(existsSync(join(root, run))).toBe(false);
  });
});

describe("spindown-disk's script", () => {
  test("remounts ext file systems, and restores their options", () => {
    put(
      "proc/mounts",
      "/dev/sda1 / ext4 rw,relatime,errors=remount-ro 0 0\n/dev/sda2 /my\\040data ext3 rw,noatime,commit=30 0 0\nproc /proc proc rw 0 0\n",
    );
    chmodSync(put("bin/mount", '#!/bin/sh\necho "$2 $3" >>"$CALLS"\n'), 0o755);
    callOf("spindown-disk", "start");
    callOf("spindown-disk", "start");
    const started = "remount,commit=600,noatime /\nremount,commit=600,noatime /my data\n".repeat(2);
    expect(calls()).toBe(started);
    put("proc/mounts", "/dev/sda1 / ext4 rw,noatime,commit=600 0 0\n");
    callOf("spindown-disk", "stop");
    const stopped =
      "remount,commit=0,strictatime,rw,relatime,errors=remount-ro /\nremount,commit=0,strictatime,rw,noatime,commit=30 /my data\n";
    expect(calls()).toBe(started + stopped);
    callOf("spindown-disk", "stop");
    expect(calls()).toBe(started + stopped);
  });

  test("saves power of radios", () => {
    put("proc/mounts", "");
    put("sys/class/net/wlan0/phy80211/name", "");
    chmodSync(put("bin/iw", '#!/bin/sh\necho "$*" >>"$CALLS"\n'), 0o755);
    for (const word of ["start", "stop"]) callOf("spindown-disk", word);
    for (const word of ["start", "stop"]) callOf("laptop-ac-powersave", word);
    expect(calls()).toBe("dev wlan0 set power_save on\ndev wlan0 set power_save off\n".repeat(2));
  });
});
