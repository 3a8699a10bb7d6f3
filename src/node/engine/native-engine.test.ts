import { describe, expect, test } from "vitest";
import type { Outcome } from "../host/host.ts";
import { MemoryBase } from "../host/memory-base.ts";
import { MemoryHost } from "../host/memory-host.ts";
import { parseProfile } from "../../language/tuned/text/parse-profile.ts";
import { noAnswers } from "../../language/tuned/probe.ts";
import { type ResolvedProfile, resolve } from "../../language/tuned/resolve.ts";
import type { ApplyReport } from "./engine.ts";
import { nativeEngine } from "./native-engine.ts";

const engine = nativeEngine();
const journal = "/var/lib/attune/journal.json";
const bootId = "/proc/sys/kernel/random/boot_id";
const swappiness = "/proc/sys/vm/swappiness";

const base = new MemoryBase(
  [
    [bootId, "boot-1\n"],
    [swappiness, "60\n"],
    ["/proc/sys/fs/aio-max-nr", "65536\n"],
    ["/proc/sys/net/core/somaxconn", "128\n"],
    ["/proc/sys/net/ipv4/tcp_rmem", "4096\t131072\t6291456\n"],
    ["/proc/sys/kernel/lines", "a\nb\n"],
  ],
  [bootId],
);

function profile(text: string): ResolvedProfile {
  const resolution = resolve({ profile: "p", layers: [new Map([["p", parseProfile(text, "p")]])] }, noAnswers);
  if (resolution.type !== "resolved") throw new Error(JSON.stringify(resolution));
  return resolution.profile;
}

const sysctls = (...lines: string[]): ResolvedProfile => profile(`[sysctl]\n${lines.join("\n")}\n`);

async function text(host: MemoryHost, path: string): Promise<string | undefined> {
  const file = await host.read(path);
  return file.type === "text" ? file.text.trimEnd() : undefined;
}

function outcomes(report: ApplyReport): string[] {
  return report.settings.map((s) => `${s.option} ${s.type}${s.type === "failed" ? `: ${s.message}` : ""}`);
}

describe("applying sysctls", () => {
  test.each([
    { name: "writes what differs", lines: ["vm.swappiness=11"], path: swappiness, value: "11", outcome: "set" },
    { name: "leaves what is equal", lines: ["vm.swappiness=60"], path: swappiness, value: "60", outcome: "same" },
    {
      name: "takes blanks for the kernel's tabs",
      lines: ["net.ipv4.tcp_rmem=4096 131072  6291456"],
      path: "/proc/sys/net/ipv4/tcp_rmem",
      value: "4096\t131072\t6291456",
      outcome: "same",
    },
    {
      name: "strips quotes",
      lines: ['net.ipv4.tcp_rmem="1 2 3"'],
      path: "/proc/sys/net/ipv4/tcp_rmem",
      value: "1 2 3",
      outcome: "set",
    },
    {
      name: "does not lower what should only be raised",
      lines: ["fs.aio-max-nr=>100"],
      path: "/proc/sys/fs/aio-max-nr",
      value: "65536",
      outcome: "same",
    },
  ])("$name", async ({ lines, path, value, outcome }) => {
    const host = new MemoryHost(base);
    const report = await engine.apply(sysctls(...lines), host);
    expect(report.settings).toMatchObject([{ type: outcome }]);
    expect(await text(host, path)).toBe(value);
    expect(await engine.verify(sysctls(...lines), host)).toEqual({ differences: [] });
  });

  test("reports what cannot be set and sets the rest", async () => {
    const host = new MemoryHost(base);
    const wanted = sysctls(
      "vm.nosuch=1",
      "a.//.b=1",
      "kernel.lines=1",
      "net.x.retrans_time=1",
      "fs.aio-max-nr=many",
      "vm.swappiness=11",
    );
    expect(outcomes(await engine.apply(wanted, host))).toEqual([
      "vm.nosuch failed: this node's kernel has no /proc/sys/vm/nosuch",
      "a.//.b failed: is not the name of a sysctl",
      "kernel.lines failed: cannot keep the original value: /proc/sys/kernel/lines has several lines",
      "net.x.retrans_time failed: is deprecated by the kernel and not set",
      'fs.aio-max-nr failed: cannot write "many": EINVAL: invalid argument, /proc/sys/fs/aio-max-nr',
      "vm.swappiness set",
    ]);
  });

  test("does not undo a value that the kernel refused, or report it as drift", async () => {
    const host = new MemoryHost(base);
    const wanted = sysctls("fs.aio-max-nr=many");
    await engine.apply(wanted, host);
    const { differences } = await engine.verify(wanted, host);
    expect(differences).toMatchObject([{ expected: "many", found: "65536" }]);
    expect(differences[0]).not.toHaveProperty("drifted");
    expect(await engine.rollback(host)).toEqual({ restored: [] });
  });

  test("reports an unknown plug-in, unless the unit is disabled", async () => {
    const host = new MemoryHost(base);
    const report = await engine.apply(profile("[nosuch]\ngovernor=x\n[vm]\nenabled=0\nk=1\n"), host);
    expect(report.settings).toEqual([
      { type: "failed", unit: "nosuch", option: "", from: "p:2", message: "the native engine has no plug-in nosuch" },
    ]);
  });

  test("lets the later of two options for one file win", async () => {
    const host = new MemoryHost(base);
    const two = profile("[sysctl]\nvm.swappiness=1\n[more]\ntype=sysctl\nvm.swappiness=2\n");
    expect((await engine.apply(two, host)).settings).toMatchObject([
      { unit: "sysctl", type: "overridden", value: "1", by: { unit: "more", from: "p:5", value: "2" } },
      { unit: "more", type: "set", value: "2" },
    ]);
    expect(await text(host, swappiness)).toBe("2");
  });

  test("after an edit writes what the edit changes, and leaves the rest in force (Q-15)", async () => {
    const host = new MemoryHost(base);
    await engine.apply(sysctls("vm.swappiness=11", "net.core.somaxconn=1024"), host);
    const written: string[] = [];
    const write = host.write.bind(host);
    host.write = (path, value) => {
      written.push(path);
      return write(path, value);
    };
    await engine.apply(sysctls("vm.swappiness=12", "net.core.somaxconn=1024"), host);
    expect(written.filter((path) => path.startsWith("/proc/"))).toEqual([swappiness]);
  });

  test("writes nothing the second time", async () => {
    const host = new MemoryHost(base);
    await engine.apply(sysctls("vm.swappiness=11"), host);
    const before = [...host.changes()];
    expect(await engine.apply(sysctls("vm.swappiness=11"), host)).toMatchObject({
      settings: [{ type: "same" }],
      restored: [],
    });
    expect([...host.changes()]).toEqual(before);
  });
});

describe("verifying", () => {
  test("finds drift and changes nothing", async () => {
    const host = new MemoryHost(base);
    await engine.apply(sysctls("vm.swappiness=11"), host);
    await host.write(swappiness, "99");
    expect(await engine.verify(sysctls("vm.swappiness=11"), host)).toEqual({
      differences: [
        {
          unit: "sysctl",
          option: "vm.swappiness",
          from: "p:2",
          message: 'is "99", expected "11"',
          target: swappiness,
          expected: "11",
          found: "99",
          drifted: true,
        },
      ],
    });
    expect(await text(host, swappiness)).toBe("99");
  });
});

describe("originals", () => {
  test("are restored by a roll-back after any number of profile changes", async () => {
    const host = new MemoryHost(base);
    await engine.apply(sysctls("vm.swappiness=11", "net.core.somaxconn=>1024"), host);
    await engine.apply(sysctls("vm.swappiness=12", "net.core.somaxconn=>512"), host);
    expect(await text(host, "/proc/sys/net/core/somaxconn")).toBe("512");
    expect((await engine.rollback(host)).restored).toHaveLength(2);
    expect(await text(host, swappiness)).toBe("60");
    expect(await text(host, "/proc/sys/net/core/somaxconn")).toBe("128");
    expect(await engine.rollback(host)).toEqual({ restored: [] });
  });

  test("are restored when the next profile does not have the setting", async () => {
    const host = new MemoryHost(base);
    await engine.apply(sysctls("vm.swappiness=11", "net.core.somaxconn=1024"), host);
    const report = await engine.apply(sysctls("net.core.somaxconn=1024"), host);
    expect(report.restored).toEqual([{ target: swappiness, value: "60" }]);
    expect(await text(host, swappiness)).toBe("60");
  });

  test("are on disk before the first write", async () => {
    let journalled: boolean | undefined;
    class Watched extends MemoryHost {
      override async write(path: string, value: string): Promise<Outcome> {
        journalled ??= (await this.read(journal)).type === "text";
        return super.write(path, value);
      }
    }
    await engine.apply(sysctls("vm.swappiness=11"), new Watched(base));
    expect(journalled).toBe(true);
  });

  test("survive a crash between two writes", async () => {
    class Crashing extends MemoryHost {
      armed = true;
      override async write(path: string, value: string): Promise<Outcome> {
        if (this.armed && path.endsWith("somaxconn")) throw new Error("crash");
        return super.write(path, value);
      }
    }
    const host = new Crashing(base);
    const wanted = sysctls("vm.swappiness=11", "net.core.somaxconn=1024");
    await expect(engine.apply(wanted, host)).rejects.toThrow("crash");
    host.armed = false;
    await engine.apply(wanted, host);
    await engine.rollback(host);
    expect(await text(host, swappiness)).toBe("60");
    expect(await text(host, "/proc/sys/net/core/somaxconn")).toBe("128");
  });

  test("of an earlier boot are dropped: the kernel has started afresh", async () => {
    const host = new MemoryHost(base);
    await engine.apply(sysctls("vm.swappiness=11"), host);
    host.put(bootId, "boot-2\n");
    host.put(swappiness, "55\n");
    expect(await engine.rollback(host)).toEqual({ restored: [] });
    await engine.apply(sysctls("vm.swappiness=11"), host);
    await engine.rollback(host);
    expect(await text(host, swappiness)).toBe("55");
  });

  test.each(["", "{}", "[]", '{"version":2,"bootId":"boot-1","entries":[{"target":"a"}]}'])(
    "that cannot be read (%j) stop the engine before it writes",
    async (broken) => {
      const host = new MemoryHost(base);
      host.put(journal, broken);
      await expect(engine.apply(sysctls("vm.swappiness=11"), host)).rejects.toThrow("read the journal of originals");
      expect(await text(host, swappiness)).toBe("60");
    },
  );

  test("cannot be kept below a root without a boot id, which is no node's", async () => {
    await expect(engine.rollback(new MemoryHost(new MemoryBase([])))).rejects.toThrow(
      "--root has no /proc/sys/kernel/random/boot_id: is it a node's root?",
    );
  });

  test("that the kernel refuses stay in the journal for the next roll-back", async () => {
    class Stubborn extends MemoryHost {
      stubborn = false;
      override async write(path: string, value: string): Promise<Outcome> {
        return this.stubborn ? { type: "failed", code: "EBUSY", message: "EBUSY" } : super.write(path, value);
      }
    }
    const host = new Stubborn(base);
    await engine.apply(sysctls("vm.swappiness=11"), host);
    host.stubborn = true;
    expect(await engine.rollback(host)).toEqual({
      restored: [{ target: swappiness, value: "60", failed: 'cannot write "60": EBUSY' }],
    });
    host.stubborn = false;
    expect(await engine.rollback(host)).toEqual({ restored: [{ target: swappiness, value: "60" }] });
  });
});
