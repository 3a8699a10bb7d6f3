import { describe, expect, test } from "vitest";
import type { Host } from "../host.ts";

/** The behaviour of every Host. `make` returns a host with these files and no others. */
export function behavesAsHost(make: (files: Record<string, string>) => Promise<Host>): void {
  const swappiness = "/proc/sys/vm/swappiness";

  describe("a host's files", () => {
    test("are read as they are, and missing ones are missing", async () => {
      const host = await make({ [swappiness]: "60\n" });
      expect(await host.read(swappiness)).toEqual({ type: "text", text: "60\n" });
      expect(await host.read("/proc/sys/vm/nosuch")).toEqual({ type: "missing" });
      expect(await host.read(`${swappiness}/deeper`)).toEqual({ type: "missing" });
    });

    test("of the kernel are changed but never created, replaced or removed", async () => {
      const host = await make({ [swappiness]: "60\n" });
      expect(await host.write(swappiness, "11")).toEqual({ type: "done" });
      const text = await host.read(swappiness);
      expect(text.type === "text" && text.text.trim()).toBe("11");
      expect(await host.write("/proc/sys/vm/nosuch", "1")).toMatchObject({ type: "failed", code: "ENOENT" });
      expect(await host.replace(swappiness, "1")).toMatchObject({ type: "failed", code: "EPERM" });
      expect(await host.remove(swappiness)).toMatchObject({ type: "failed", code: "EPERM" });
    });

    test.each(["write", "replace"] as const)("that are ordinary are created by %s, with their folders", async (how) => {
      const host = await make({});
      expect(await host[how]("/var/lib/x/y.json", "long text")).toEqual({ type: "done" });
      expect(await host[how]("/var/lib/x/y.json", "{}")).toEqual({ type: "done" });
      expect(await host.read("/var/lib/x/y.json")).toEqual({ type: "text", text: "{}" });
      expect(await host.list("/var/lib/x")).toEqual(["y.json"]);
    });

    test("are removed, and removing a missing file succeeds", async () => {
      const host = await make({ "/etc/a": "1", "/etc/b": "2" });
      expect(await host.remove("/etc/a")).toEqual({ type: "done" });
      expect(await host.remove("/etc/a")).toEqual({ type: "done" });
      expect(await host.read("/etc/a")).toEqual({ type: "missing" });
      expect(await host.list("/etc")).toEqual(["b"]);
    });

    test("are listed by folder, sorted, with its folders", async () => {
      const host = await make({ "/sys/b/x": "", "/sys/a": "", "/sys/b/y/z": "" });
      expect(await host.list("/sys")).toEqual(["a", "b"]);
      expect(await host.list("/sys/b")).toEqual(["x", "y"]);
      expect(await host.list("/sys/nosuch")).toEqual([]);
    });

    test.each(["etc/passwd", "/proc/sys/../../etc/passwd", "/..", "/etc/\0"])(
      "are refused for the path %j",
      async (path) => {
        const host = await make({ "/etc/passwd": "root" });
        for (const outcome of [
          await host.read(path),
          await host.write(path, "x"),
          await host.replace(path, "x"),
          await host.remove(path),
        ])
          expect(outcome).toMatchObject({ type: "failed", code: "EINVAL" });
        expect(await host.list(path)).toEqual([]);
      },
    );
  });

  describe("what a host places", () => {
    const own = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
    const bytes = Uint8Array.from([0, 255, 10, 128]);

    test("is a file with any bytes, mode and owner; without a mode it keeps its own", async () => {
      const host = await make({});
      expect(await host.replace("/etc/a/b", bytes, { mode: 0o640, ...own })).toEqual({ type: "done" });
      expect(await host.stat("/etc/a/b")).toEqual({ type: "file", mode: 0o640, ...own });
      const read = await host.readBytes("/etc/a/b");
      expect(read.type === "bytes" && [...read.bytes]).toEqual([...bytes]);
      expect(await host.replace("/etc/a/b", "text")).toEqual({ type: "done" });
      expect(await host.stat("/etc/a/b")).toMatchObject({ type: "file", mode: 0o640 });
      expect(await host.read("/etc/a/b")).toEqual({ type: "text", text: "text" });
      expect(await host.readBytes("/etc/nosuch")).toEqual({ type: "missing" });
      expect(await host.stat("/etc/nosuch")).toEqual({ type: "missing" });
      expect(await host.stat("/etc/a/b/deeper")).toEqual({ type: "missing" });
    });

    test("is a directory that may be empty, and is never put in the place of a file", async () => {
      const host = await make({ "/etc/file": "1" });
      expect(await host.placeDirectory("/etc/d", { mode: 0o700, ...own })).toEqual({ type: "done" });
      expect(await host.stat("/etc/d")).toEqual({ type: "directory", mode: 0o700, ...own });
      expect(await host.list("/etc")).toEqual(["d", "file"]);
      expect(await host.placeDirectory("/etc/d", { mode: 0o755, ...own })).toEqual({ type: "done" });
      expect(await host.stat("/etc/d")).toMatchObject({ mode: 0o755 });
      expect(await host.placeDirectory("/etc/file", { mode: 0o755, ...own })).toMatchObject({ code: "ENOTDIR" });
      expect(await host.replace("/etc/d", "x")).toMatchObject({ type: "failed" });
      expect(await host.prune("/etc/d")).toEqual({ type: "done" });
      expect(await host.stat("/etc/d")).toEqual({ type: "missing" });
    });

    test("is a link in the place of a file, and a file in the place of a link", async () => {
      const host = await make({ "/etc/file": "1", "/etc/other": "2" });
      expect(await host.placeLink("/etc/file", { target: "other" })).toEqual({ type: "done" });
      expect(await host.stat("/etc/file")).toMatchObject({ type: "link", target: "other" });
      expect(await host.read("/etc/file")).toEqual({ type: "text", text: "2" });
      expect(await host.replace("/etc/file", "3")).toEqual({ type: "done" });
      expect(await host.stat("/etc/file")).toMatchObject({ type: "file" });
      expect(await host.read("/etc/other")).toEqual({ type: "text", text: "2" });
      expect(await host.placeLink("/etc/hard", { target: "/etc/other", isHard: true })).toEqual({ type: "done" });
      expect(await host.read("/etc/hard")).toEqual({ type: "text", text: "2" });
      expect(await host.placeLink("/etc/gone", { target: "/nosuch" })).toEqual({ type: "done" });
      expect(await host.list("/etc")).toEqual(["file", "gone", "hard", "other"]);
      expect(await host.remove("/etc/gone")).toEqual({ type: "done" });
      expect(await host.list("/etc")).toEqual(["file", "hard", "other"]);
    });

    test("stays below the root, whatever links are on the way (machine-config W-7)", async () => {
      const host = await make({ "/var/real/a": "1" });
      await host.placeLink("/etc/there", { target: "/var/real" });
      await host.placeLink("/etc/above", { target: "../../../../../../../../var/real" });
      for (const path of ["/etc/there/b", "/etc/above/c"])
        expect(await host.replace(path, "2")).toEqual({ type: "done" });
      expect(await host.list("/var/real")).toEqual(["a", "b", "c"]);
      expect(await host.real("/etc/above/c")).toBe("/var/real/c");
    });

    test("is refused below /proc and /sys", async () => {
      const host = await make({ [swappiness]: "60\n" });
      expect(await host.placeLink("/proc/sys/vm/x", { target: "/x" })).toMatchObject({ code: "EPERM" });
      expect(await host.placeDirectory("/sys/x", { mode: 0o755, ...own })).toMatchObject({ code: "EPERM" });
    });
  });

  test("a file is held open until it is released, also after it was held again", async () => {
    const host = await make({ "/dev/cpu_dma_latency": "" });
    const take = async (hex: string): Promise<unknown> => host.hold?.("/dev/cpu_dma_latency", hex);
    for (const hex of ["01000000", "02000000", "", ""]) expect(await take(hex)).toEqual({ type: "done" });
    expect(await host.hold?.("/dev/nosuch", "00")).toMatchObject({ type: "failed", code: "ENOENT" });
  });

  test("work on the ledger is done one after another, also after some has failed", async () => {
    const host = await make({});
    const log: string[] = [];
    const work = (name: string) => async () => {
      log.push(`${name} starts`);
      await host.list("/");
      log.push(`${name} ends`);
      if (name === "b") throw new Error("b failed");
    };
    await Promise.allSettled(["a", "b", "c"].map(async (name) => host.exclusive?.(work(name))));
    expect(log).toEqual(["a starts", "a ends", "b starts", "b ends", "c starts", "c ends"]);
    expect(await host.list("/")).toEqual([]);
  });

  test("a path without links is its own real path, and so is a missing one", async () => {
    const host = await make({ "/sys/a/b": "" });
    expect(await host.real("/sys/a/b")).toBe("/sys/a/b");
    expect(await host.real("/sys/nosuch/b")).toBe("/sys/nosuch/b");
  });

  test("a program that does not exist fails with a message", async () => {
    const host = await make({});
    expect(await host.run(["attune-no-such-program"])).toMatchObject({ type: "failed" });
  });
}
