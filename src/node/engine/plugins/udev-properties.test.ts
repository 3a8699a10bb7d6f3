import { describe, expect, test } from "vitest";
import { MemoryBase } from "../../host/memory-base.ts";
import { MemoryHost } from "../../host/memory-host.ts";
import type { Observe } from "../plugin.ts";
import { udevProperties } from "./udev-properties.ts";

function observing(files: [string, string][]): Observe {
  return { host: new MemoryHost(new MemoryBase(files, []), []) } as unknown as Observe;
}

const uevent: [string, string] = ["/sys/class/net/eth0/uevent", "INTERFACE=eth0\nIFINDEX=2\n"];
const index: [string, string] = ["/sys/class/net/eth0/ifindex", "2\n"];

describe("the properties of a device", () => {
  test("are those of the kernel's uevent and of udev's record, the latter last", async () => {
    const record: [string, string] = ["/run/udev/data/n2", "I:1\nE:ID_BUS=pci\nE:IFINDEX=3\nG:systemd\n"];
    expect(await udevProperties("/sys/class/net/eth0", "net", observing([uevent, index, record]))).toBe(
      "DEVPATH=/class/net/eth0\nID_BUS=pci\nIFINDEX=3\nINTERFACE=eth0\nSUBSYSTEM=net",
    );
  });

  test("of a disk are in the record that udev names after its number", async () => {
    const files: [string, string][] = [
      ["/sys/block/sda/dev", "8:0\n"],
      ["/sys/block/sda/uevent", "DEVNAME=sda\n"],
      ["/run/udev/data/b8:0", "E:ID_BUS=x\n"],
    ];
    expect(await udevProperties("/sys/block/sda", "block", observing(files))).toBe(
      "DEVNAME=/dev/sda\nDEVPATH=/block/sda\nID_BUS=x\nSUBSYSTEM=block",
    );
  });

  test("of other devices are in the record that udev names after subsystem and device", async () => {
    const files: [string, string][] = [["/run/udev/data/+scsi:host0", "E:ID_BUS=x\n"]];
    expect(await udevProperties("/sys/class/scsi_host/host0", "scsi", observing(files))).toBe(
      "DEVPATH=/class/scsi_host/host0\nID_BUS=x\nSUBSYSTEM=scsi",
    );
  });

  test("are known as far as they go where udev has not finished with it (Q22)", async () => {
    expect(await udevProperties("/sys/class/net/eth0", "net", observing([uevent, index]))).toBe(
      "DEVPATH=/class/net/eth0\nIFINDEX=2\nINTERFACE=eth0\nSUBSYSTEM=net",
    );
    expect(await udevProperties("/sys/class/scsi_host/host1", "scsi", observing([]))).toBe(
      "DEVPATH=/class/scsi_host/host1\nSUBSYSTEM=scsi",
    );
  });
});
