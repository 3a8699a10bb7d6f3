import { expect, test } from "vitest";
import { setRpsMask as script } from "../../../src/domain/performance-profile/machine-config/scripts/set-rps-mask.ts";
import { onEachShell } from "./on-each-shell.ts";

const device = "/devices/pci0000:00/0000:00:03.0/net/ens3";
const queue = (path: string, number: number) => `/sys${path}/queues/rx-${number}/rps_cpus`;
const queues = (path: string) => ({ [queue(path, 0)]: "ff\n", [queue(path, 11)]: "ff\n" });

onEachShell("steering packets", (makeNode) => {
  test.each([
    ["as it is", device, `${device}/queues/rx-11`],
    ["escaped", device, `${device}/queues/rx\\x2d11`],
    ["escaped, without the backslash", device, `${device}/queues/rxx2d11`],
    [
      "of a device with a hyphen, escaped",
      "/devices/pci0/net/my-card",
      "/devices/pci0/net/my\\x2dcard/queues/rx\\x2d11",
    ],
    [
      "of a device with a hyphen, without backslashes",
      "/devices/pci0/net/my-card",
      "/devices/pci0/net/myx2dcard/queues/rxx2d11",
    ],
    ["of a device that is called x2d", "/devices/pci0/net/x2d", "/devices/pci0/net/x2d/queues/rxx2d11"],
    ["without a leading slash", device, `${device.slice(1)}/queues/rxx2d11`],
  ])("of one queue, its path %s", (_, path, argument) => {
    const node = makeNode(queues(path));
    expect(node.run(script, {}, [argument, "0"])).toEqual({ code: 0, out: "", err: "" });
    expect(node.read(queue(path, 11))).toBe("0");
    expect(node.read(queue(path, 0))).toBe("ff");
  });

  test.each([
    ["as it is", device, device],
    ["with hyphens", "/devices/VMBUS:00/f86-df3-46c/net/eth0", "/devices/VMBUS:00/f86x2ddf3x2d46c/net/eth0"],
  ])("of all queues of a device, its path %s", (_, path, argument) => {
    const node = makeNode({ ...queues(path), [`/sys${path}/queues/tx-0/xps_cpus`]: "ff" });
    expect(node.run(script, {}, [argument, "0000000c"])).toEqual({ code: 0, out: "", err: "" });
    expect([0, 11].map((number) => node.read(queue(path, number)))).toEqual(["0000000c", "0000000c"]);
    expect(node.read(`/sys${path}/queues/tx-0/xps_cpus`)).toBe("ff");
  });

  test.each([
    ["a queue", `${device}/queues/rxx2d0`],
    ["a device", device],
  ])("of %s that is gone is no failure, and creates no files", (_, path) => {
    const node = makeNode();
    expect(node.run(script, {}, [path, "0"])).toMatchObject({
      code: 0,
      err: "",
      out: expect.stringContaining("not there"),
    });
    expect(node.read(queue(device, 0))).toBeUndefined();
  });

  test("of a queue that refuses is no failure, and the others are set", () => {
    const node = makeNode(queues(device));
    node.refuse(queue(device, 0));
    expect(node.run(script, {}, [device, "0"])).toMatchObject({ code: 0, err: "" });
    expect(node.read(queue(device, 11))).toBe("0");
  });

  test.each([[[]], [[device]], [["", "0"]], [[device, ""]]])("needs a path and a mask, not %j", (args) => {
    const node = makeNode(queues(device));
    expect(node.run(script, {}, args)).toMatchObject({ code: 1, err: expect.stringContaining("usage") });
    expect(node.read(queue(device, 0))).toBe("ff");
  });
});
