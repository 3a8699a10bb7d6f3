import { describe, expect, test } from "vitest";
import { behavesAsHost } from "./testing/host-behaviour.ts";
import { MemoryBase } from "./memory-base.ts";
import { MemoryHost } from "./memory-host.ts";

behavesAsHost(async (files) => new MemoryHost(new MemoryBase(Object.entries(files))));

const base = new MemoryBase(
  [
    ["/proc/sys/vm/swappiness", "60\n"],
    ["/proc/sys/net/ipv4/tcp_rmem", "4096\t131072\t6291456\n"],
    ["/proc/sys/kernel/core_pattern", "core\n"],
    ["/proc/sys/kernel/random/boot_id", "x\n"],
  ],
  ["/proc/sys/kernel/random/boot_id"],
);

describe("a machine in memory", () => {
  test("shares its base with others and keeps only what it changed", async () => {
    const a = new MemoryHost(base);
    const b = new MemoryHost(base);
    await a.write("/proc/sys/vm/swappiness", "11");
    expect(await b.read("/proc/sys/vm/swappiness")).toEqual({ type: "text", text: "60\n" });
    expect([...a.changes()]).toEqual([["/proc/sys/vm/swappiness", "11\n"]]);
    await a.write("/proc/sys/vm/swappiness", "60");
    expect(a.changes().size).toBe(0);
  });

  test.each([
    { path: "/proc/sys/vm/swappiness", text: "eleven", code: "EINVAL" },
    { path: "/proc/sys/vm/swappiness", text: "1 2", code: "EINVAL" },
    { path: "/proc/sys/kernel/random/boot_id", text: "y", code: "EACCES" },
  ])("has a kernel that refuses $text for $path", async ({ path, text, code }) => {
    const host = new MemoryHost(base);
    expect(await host.write(path, text)).toMatchObject({ type: "failed", code });
    expect(host.changes().size).toBe(0);
  });

  test.each([
    { path: "/proc/sys/net/ipv4/tcp_rmem", text: "4096 131072 16777216" },
    { path: "/proc/sys/kernel/core_pattern", text: "|/bin/x %p" },
  ])("has a kernel that takes $text for $path", async ({ path, text }) => {
    expect(await new MemoryHost(base).write(path, text)).toEqual({ type: "done" });
  });

  test("has a kernel that sets a sysctl to 0 when its counterpart in another unit is set", async () => {
    const [bytes, ratio] = ["/proc/sys/vm/dirty_bytes", "/proc/sys/vm/dirty_ratio"];
    const host = new MemoryHost(
      new MemoryBase([
        [bytes, "0\n"],
        [ratio, "20\n"],
      ]),
    );
    await host.write(bytes, "67108864");
    expect(await host.read(ratio)).toEqual({ type: "text", text: "0\n" });
    await host.write(ratio, "30");
    expect(await host.read(bytes)).toEqual({ type: "text", text: "0\n" });
  });

  test("has links, to files and to folders", async () => {
    const host = new MemoryHost(
      new MemoryBase(
        [["/sys/devices/a/mode", "1\n"]],
        [],
        [
          ["/sys/class/x", "/sys/devices"],
          ["/sys/devices/b", "/sys/class/x/a"],
        ],
      ),
    );
    expect(await host.real("/sys/class/x/b/mode")).toBe("/sys/devices/a/mode");
    expect(await host.write("/sys/class/x/b/mode", "2")).toEqual({ type: "done" });
    expect(await host.read("/sys/devices/a/mode")).toEqual({ type: "text", text: "2\n" });
    expect(await host.list("/sys/class/x")).toEqual(["a", "b"]);
  });

  test("does not follow links that lead to each other", async () => {
    const host = new MemoryHost(
      new MemoryBase(
        [],
        [],
        [
          ["/a", "/b"],
          ["/b", "/a"],
        ],
      ),
    );
    expect(await host.read("/a")).toEqual({ type: "missing" });
  });

  test.each([
    { how: "shutdown", written: "2", removed: "missing" },
    { how: "power cut", written: "1", removed: "missing" },
  ] as const)(
    "keeps its disk after a $how, but for what a power cut found unsynced",
    async ({ how, written, removed }) => {
      const host = new MemoryHost(
        new MemoryBase([
          ["/etc/written", "1"],
          ["/etc/removed", "1"],
          ["/proc/sys/vm/swappiness", "60\n"],
        ]),
      );
      await host.write("/etc/written", "2");
      await host.remove("/etc/removed");
      await host.write("/etc/replaced", "1");
      await host.replace("/etc/replaced", "2");
      await host.write("/proc/sys/vm/swappiness", "11");
      await host.replace("/run/x", "1");
      host.restart(["/proc", "/run"], how);
      expect(await host.read("/etc/written")).toEqual({ type: "text", text: written });
      expect(await host.read("/etc/removed")).toMatchObject({ type: removed });
      expect(await host.read("/etc/replaced")).toEqual({ type: "text", text: "2" });
      expect(await host.read("/proc/sys/vm/swappiness")).toEqual({ type: "text", text: "60\n" });
      expect(await host.read("/run/x")).toEqual({ type: "missing" });
    },
  );

  test("runs the programs it was given, and cat", async () => {
    const host = new MemoryHost(base, [["uname", () => ({ type: "exited", code: 0, stdout: "6.1\n", stderr: "" })]]);
    expect(await host.run(["/usr/bin/uname", "-r"])).toMatchObject({ code: 0, stdout: "6.1\n" });
    expect(await host.run(["cat", "/proc/sys/vm/swappiness"])).toMatchObject({ code: 0, stdout: "60\n" });
    expect(await host.run(["cat", "/nosuch"])).toMatchObject({ code: 1 });
  });
});
