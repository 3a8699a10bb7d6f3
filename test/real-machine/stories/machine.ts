import { expect, test } from "vitest";
import type { Stage } from "../harness/stage.ts";

/** What the other stories rely on: without it they would prove nothing. */
export function machineStories(stage: () => Stage): void {
  test("the guest is a machine of two sockets and two NUMA nodes that booted by GRUB, with a read-only /usr", async () => {
    const { machine } = stage();
    expect(await machine.read("/sys/devices/system/cpu/online")).toBe("0-3");
    expect(await machine.read("/sys/devices/system/node/online")).toBe("0-1");
    expect(await machine.run("cat /sys/devices/system/cpu/cpu*/topology/physical_package_id")).toBe("0\n0\n1\n1");
    expect(await machine.read("/proc/cmdline")).toMatch(
      /^BOOT_IMAGE=\/boot\/vmlinuz-\S+ root=\S+ ro .*console=ttyS0.* quiet$/,
    );
    expect((await machine.try("touch /usr/x")).stderr).toContain("Read-only file system");
    expect(await machine.run("touch /etc/x && rm /etc/x && systemctl is-active attune-agent")).toBe("active");
  });

  test("a restart and a power cut are boots of their own, and a cut loses what no program had synced", async () => {
    const { machine } = stage();
    const known = machine.boots.length;
    const restarted = await machine.reboot();
    expect(await machine.read("/proc/sys/kernel/random/boot_id")).toBe(restarted.id);
    await machine.run("echo kept >/var/synced && sync /var/synced && echo lost >/var/unsynced");
    await machine.cutPower();
    await expect(machine.try("true")).rejects.toThrow();
    const afterCut = await machine.powerOn();
    expect(machine.boots.slice(known)).toEqual([restarted, afterCut]);
    expect(await machine.read("/var/synced")).toBe("kept");
    expect((await machine.try("grep lost /var/unsynced")).code).not.toBe(0);
    await machine.run("rm -f /var/synced /var/unsynced");
  });
}
