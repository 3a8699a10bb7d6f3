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

describe("cpu-partitioning's script", () => {
  const run = "/sys/kernel/mm/ksm/run";
  let root = "";
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "attune-script-"));
  });
  afterEach(() => rmSync(root, { recursive: true }));

  const put = (path: string, text: string): string => {
    const file = join(root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  };
  /** The script, on the files below the root. */
  const call = (...args: string[]): void => {
    const [, text = ""] = [...baseScripts()].find(([path]) => path.endsWith("/cpu-partitioning/script.sh")) ?? [];
    const moved = text.replaceAll(/(?<![\w}])\/(?=(?:sys|etc|var)\/)/g, `${root}/`);
    const env = { PATH: `${join(root, "bin")}:${process.env.PATH}`, CALLS: join(root, "calls") };
    execFileSync("sh", [put("script.sh", moved), ...args], { env });
  };
  const calls = (): string => (existsSync(join(root, "calls")) ? readFileSync(join(root, "calls"), "utf8") : "");

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

  test("does nothing where the kernel has no such pages", () => {
    chmodSync(put("bin/systemctl", "#!/bin/sh\nexit 1\n"), 0o755);
    mkdirSync(join(root, "etc/modprobe.d"), { recursive: true });
    call("start");
    call("stop", "full_rollback");
    expect(existsSync(join(root, run))).toBe(false);
  });
});
