import { describe, expect, test } from "vitest";
import { MemoryBase } from "../../host/memory-base.ts";
import { MemoryHost } from "../../host/memory-host.ts";
import type { Observe } from "../plugin.ts";
import { udevProperties } from "./udev-properties.ts";

function looking(files: [string, string][]): Observe {
  return { host: new MemoryHost(new MemoryBase(files, []), []) } as unknown as Observe;
}

const uevent: [string, string] = ["/sys/class/net/eth0/uevent", "INTERFACE=eth0\nIFINDEX=2\n"];

describe("the properties of a device", () => {
  test("are what the kernel tells and what udev found out, the latter last", async () => {
    const record: [string, string] = ["/run/udev/data/+net:eth0", "I:1\nE:ID_BUS=pci\nE:IFINDEX=3\nG:systemd\n"];
    expect(await udevProperties("/sys/class/net/eth0", "net", looking([uevent, record]))).toBe(
      "DEVPATH=/class/net/eth0\nID_BUS=pci\nIFINDEX=3\nINTERFACE=eth0\nSUBSYSTEM=net",
    );
  });

  test("are known as far as they go where udev has not finished with it (Q22)", async () => {
    expect(await udevProperties("/sys/class/net/eth0", "net", looking([uevent]))).toBe(
      "DEVPATH=/class/net/eth0\nIFINDEX=2\nINTERFACE=eth0\nSUBSYSTEM=net",
    );
    expect(await udevProperties("/sys/class/net/eth1", "net", looking([]))).toBe(
      "DEVPATH=/class/net/eth1\nSUBSYSTEM=net",
    );
  });
});
