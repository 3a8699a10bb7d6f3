import { describe, expect, test } from "vitest";
import { type Machine, machine, MachineOffError } from "../machine.ts";
import { machineBase, smallMachine } from "../machine-base.ts";
import type { Host } from "../../../node/host/host.ts";
import { readGrubDefaults } from "./grub-defaults.ts";
import { filesOfBoot } from "./kernel-arguments.ts";

const base = machineBase({ ...smallMachine, sockets: 2 });
const shown = async (host: Host, path: string): Promise<string> => {
  const file = await host.read(path);
  return file.type === "text" ? file.text.trim() : file.type;
};

async function withArguments(host: Machine, text: string): Promise<void> {
  await host.replace("/etc/default/grub.d/50-own.cfg", `GRUB_CMDLINE_LINUX="$GRUB_CMDLINE_LINUX ${text}"\n`);
  expect(await host.run(["update-grub"])).toMatchObject({ code: 0 });
}

describe("a boot", () => {
  test("keeps the disk, makes a new boot id, and resets what the kernel and memory hold", async () => {
    const host = machine(base, "boot-1");
    await host.replace("/etc/a", "1");
    await host.replace("/run/b", "1");
    await host.write("/proc/sys/vm/swappiness", "11");
    await host.run(["systemctl", "start", "stalld"]);
    await host.run(["systemctl", "disable", "chronyd"]);
    await host.boot("boot-2");
    expect(await shown(host, "/etc/a")).toBe("1");
    expect(await shown(host, "/run/b")).toBe("missing");
    expect(await shown(host, "/proc/sys/vm/swappiness")).toBe("60");
    expect(await shown(host, "/proc/sys/kernel/random/boot_id")).toBe("boot-2");
    expect(await host.run(["systemctl", "is-active", "stalld"])).toMatchObject({ code: 3 });
    expect(await host.run(["systemctl", "is-active", "chronyd"])).toMatchObject({ code: 3 });
    expect(await host.run(["systemctl", "is-active", "kubelet"])).toMatchObject({ code: 0 });
    expect(host.boots).toBe(2);
  });

  test("takes arguments from the boot loader's configuration, and only once that was generated", async () => {
    const host = machine(base);
    await host.replace("/etc/default/grub.d/50-own.cfg", 'GRUB_CMDLINE_LINUX="$GRUB_CMDLINE_LINUX quiet"\n');
    await host.boot();
    expect(await shown(host, "/proc/cmdline")).toBe("BOOT_IMAGE=/boot/vmlinuz-6.12.0 root=/dev/vda1 ro");
    await withArguments(host, "isolcpus=1-3 nohz_full=2-3 default_hugepagesz=1G hugepagesz=2M hugepages=5 hugepages=5");
    expect(await shown(host, "/sys/devices/system/cpu/isolated")).toBe("");
    await host.boot();
    expect(await shown(host, "/proc/cmdline")).toMatch(/ ro isolcpus=1-3 nohz_full=2-3 /);
    expect(await shown(host, "/sys/devices/system/cpu/isolated")).toBe("1-3");
    expect(await shown(host, "/sys/devices/system/cpu/nohz_full")).toBe("2-3");
    expect(await shown(host, "/sys/devices/system/node/node0/hugepages/hugepages-2048kB/nr_hugepages")).toBe("3");
    expect(await shown(host, "/sys/devices/system/node/node1/hugepages/hugepages-2048kB/nr_hugepages")).toBe("2");
    expect(await shown(host, "/proc/meminfo")).toMatch(/Hugepagesize: +1048576 kB/);
  });

  test("runs units that are enabled", async () => {
    const host = machine(base);
    const unit = "[Service]\nType=oneshot\nEnvironment=OFFLINE_CPUS=2\nExecStart=/usr/local/bin/set-cpus-offline.sh\n";
    await host.replace("/usr/local/bin/set-cpus-offline.sh", "#!/bin/sh\n", 0o700);
    await host.replace("/etc/systemd/system/off.service", `${unit}[Install]\nWantedBy=multi-user.target\n`);
    await host.boot();
    expect(await shown(host, "/sys/devices/system/cpu/online")).toBe("0-3");
    await host.run(["systemctl", "enable", "off"]);
    await host.boot();
    expect(await shown(host, "/sys/devices/system/cpu/online")).toBe("0-1,3");
  });

  test("of another entry happens once with grub-reboot, and for good with the saved entry", async () => {
    const host = machine(base);
    await host.replace(
      "/boot/grub/custom.cfg",
      "menuentry 'Before' --id before {\n\tlinux /boot/vmlinuz-6.12.0 old=1\n}\n",
    );
    await host.run(["grub-reboot", "before"]);
    await host.boot();
    expect(await shown(host, "/proc/cmdline")).toBe("BOOT_IMAGE=/boot/vmlinuz-6.12.0 old=1");
    await host.boot();
    expect(await shown(host, "/proc/cmdline")).not.toContain("old=1");
    await host.replace("/etc/default/grub", "GRUB_DEFAULT=saved\n");
    await host.run(["update-grub"]);
    await host.run(["grub-editenv", "-", "set", "saved_entry=before"]);
    await host.boot();
    await host.boot();
    expect(await shown(host, "/proc/cmdline")).toBe("BOOT_IMAGE=/boot/vmlinuz-6.12.0 old=1");
  });

  test("ends every process of the machine: what it asks for afterwards does not happen", async () => {
    const host = machine(base);
    const process = host.session();
    expect(await process.run(["uname", "-r"])).toMatchObject({ stdout: "6.12.0\n" });
    host.stop("power cut");
    await expect(process.replace("/etc/a", "1")).rejects.toThrow(MachineOffError);
    await host.boot();
    await expect(process.replace("/etc/a", "1")).rejects.toThrow(MachineOffError);
    expect(await shown(host.session(), "/etc/a")).toBe("missing");
  });
});

test.each([
  ['A="x y"', "x y"],
  ["A='x $B'", "x $B"],
  ['B=1\nA="$B ${B}2"', "1 12"],
  [String.raw`A="\$tuned"`, "$tuned"],
  ['A=x\nA="${A:+$A }y"', "x y"],
  ['A="${B:+$B }y"', "y"],
  ["A=x # comment", "x"],
])("%s means %j", (text, value) => {
  expect(readGrubDefaults([text]).get("A")).toBe(value);
});

test.each([
  ["isolcpus=managed_irq,1-3", ""],
  ["isolcpus=managed_irq,domain,1-3", "1-3"],
  ["isolcpus=1-9", "1-3"],
])("after %s the kernel shows %j as isolated", (text, cpus) => {
  const files = new Map(filesOfBoot(smallMachine, text));
  expect(files.get("/sys/devices/system/cpu/isolated")?.trim() ?? "").toBe(cpus);
});
