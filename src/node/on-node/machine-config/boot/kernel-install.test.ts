import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { emptyContents } from "../../../../domain/machine-config/machine-contents.ts";
import { bootIdPath } from "../../../host/boot-id.ts";
import { LinuxHost } from "../../../host/linux-host.ts";
import { applyContents, releaseContents } from "../apply-contents.ts";

const plugin = "/usr/lib/kernel/install.d/90-loaderentry.install";
const missing = spawnSync("kernel-install", ["--version"]).error ?? spawnSync(plugin, []).error;
if (missing) console.log(`not run: boot arguments with kernel-install itself (${missing.message})`);

const machineId = "0123456789abcdef0123456789abcdef";
const base = "root=/dev/sda1 ro quiet";

test.skipIf(missing)(
  "kernels that kernel-install adds later have the arguments of the config, and none keeps them after it",
  async () => {
    const root = mkdtempSync(join(tmpdir(), "attune-kernels-"));
    onTestFinished(() => rmSync(root, { recursive: true }));
    const put = (path: string, text: string): void => {
      mkdirSync(join(root, dirname(path)), { recursive: true });
      writeFileSync(join(root, path), text);
    };
    put(bootIdPath, "boot\n");
    put("/proc/cmdline", `initrd=x ${base} systemd.machine_id=${machineId}\n`);
    put("/etc/kernel/cmdline", `${base}\n`);
    put("/etc/kernel/install.conf", "layout=bls\n");
    put("/vmlinuz", "kernel");
    mkdirSync(join(root, "boot/loader/entries"), { recursive: true });
    const env = {
      PATH: process.env["PATH"],
      MACHINE_ID: machineId,
      BOOT_ROOT: join(root, "boot"),
      KERNEL_INSTALL_CONF_ROOT: join(root, "etc/kernel"),
      KERNEL_INSTALL_PLUGINS: plugin,
    };
    const install = (version: string): Buffer =>
      execFileSync("kernel-install", ["add", version, join(root, "vmlinuz")], { env, stdio: "pipe" });
    /** Boot arguments by version. */
    const entries = (): Record<string, string> =>
      Object.fromEntries(
        readdirSync(join(root, "boot/loader/entries")).map((name) => {
          const text = readFileSync(join(root, "boot/loader/entries", name), "utf8");
          const options = /^options\s+(.*)$/m.exec(text)?.[1]?.replace(`systemd.machine_id=${machineId}`, "") ?? "";
          return [/^version\s+(.*)$/m.exec(text)?.[1] ?? "", options.replaceAll(/\s+/g, " ").trim()];
        }),
      );

    install("6.1.0");
    const host = new LinuxHost(root);
    const contents = { ...emptyContents, kernelArguments: ["isolcpus=2-3", 'dyndbg="file a +p"'] };
    expect((await applyContents({ contents, config: "v1", host })).problems).toEqual([]);
    const tuned = `${base} isolcpus=2-3 dyndbg="file a +p"`;
    // Version 0 is the entry from before.
    expect(entries()).toEqual({ "0": base, "6.1.0": tuned });
    install("6.2.0");
    expect(entries()).toEqual({ "0": base, "6.1.0": tuned, "6.2.0": tuned });
    expect(await releaseContents(host)).toEqual([]);
    expect(entries()).toEqual({ "6.1.0": base, "6.2.0": base });
    install("6.3.0");
    expect(entries()).toMatchObject({ "6.3.0": base });
  },
);
