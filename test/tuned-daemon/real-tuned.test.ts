import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { ApplyReport, RollbackReport, VerifyReport } from "../../src/node/engine/engine.ts";
import type { TunedStatus } from "../../src/node/engine/tuned-daemon/tuned-engine.ts";
import { type Attune, Machine } from "./machine.ts";
import { tunedPath } from "./tuned-program.ts";

const finTimeout = "/proc/sys/net/ipv4/tcp_fin_timeout";
const retries = "/proc/sys/net/ipv4/tcp_retries2";

const backlog = "/proc/sys/net/core/somaxconn";

const texts = {
  backlog: "[sysctl]\nnet.core.somaxconn=777\nnet.ipv4.tcp_fin_timeout=33\n",
  short: "[sysctl]\nnet.ipv4.tcp_fin_timeout=33\n",
  long: "[variables]\nn=12\n[sysctl]\nnet.ipv4.tcp_retries2=${n}\n",
  raised: "[sysctl]\nnet.ipv4.tcp_fin_timeout=>40\n",
  broken: "[sysctl]\nnet.ipv4.tcp_fin_timeout=33\nnet.ipv4.nosuch=1\nnet.ipv4.tcp_retries2=many\n[foo]\nx=1\n",
  hanging: "[sysctl]\nnet.ipv4.tcp_fin_timeout=33\n[script]\nscript=/etc/tuned/hang.sh\n",
  deadly: "[sysctl]\nnet.ipv4.tcp_fin_timeout=33\n[disk]\ndevices_udev_regex=(\n",
};

describe.skipIf(tunedPath === undefined)("the real TuneD", () => {
  let machine: Machine;
  let attune: Attune;

  const apply = (profile: string): Promise<ApplyReport> => attune.ask({ do: "apply", engine: "tuned", profile, texts });
  const verify = (profile: string): Promise<VerifyReport> =>
    attune.ask({ do: "verify", engine: "tuned", profile, texts });
  const rollback = (): Promise<RollbackReport> => attune.ask({ do: "rollback", engine: "tuned" });
  const status = (): Promise<TunedStatus> => attune.ask({ do: "status" });
  const configuration = (): string =>
    machine.run("sh", "-c", "cd /etc/tuned && find . -type f | sort | xargs md5sum; find . -type d");

  beforeEach(async () => {
    machine = await Machine.start(
      "printf '#!/bin/sh\\ntest $1 = stop || sleep 1000\\n' >/etc/tuned/hang.sh; chmod +x /etc/tuned/hang.sh",
    );
    attune = await machine.attune();
  });

  afterEach(() => machine.stop());

  test("leaves a sysctl to perftune that a profile sets too, whichever comes first, and says so", async () => {
    // The kernel shows no device for this card: its folder is built.
    const card =
      "mount -t sysfs none /sys && ip link add perf0 type veth && mkdir -p /mnt/net/perf0/device/msi_irqs /mnt/net/perf0/queues";
    machine.run("sh", "-ec", `${card} && mount --rbind /mnt/net /sys/class/net`);
    machine.run("sysctl", "-q", "-w", "net.core.somaxconn=128");
    const held = (report: ApplyReport): unknown =>
      report.settings.filter(({ type }) => type === "overridden").map(({ option }) => option);

    await apply("backlog");
    expect([machine.read(backlog), machine.read(finTimeout)]).toEqual(["777", "33"]);
    expect(await attune.ask({ do: "perftune", nic: "perf0" })).toMatchObject({ type: "tuned" });
    expect([machine.read(backlog), machine.read(finTimeout)]).toEqual(["4096", "33"]);
    expect(await verify("backlog")).toEqual({ differences: [] });
    expect(held(await apply("backlog"))).toEqual(["net.core.somaxconn"]);
    expect(machine.read(backlog)).toBe("4096");

    await rollback();
    expect([machine.read(backlog), machine.read(finTimeout)]).toEqual(["4096", "60"]);
    expect(held(await apply("backlog"))).toEqual(["net.core.somaxconn"]);
    expect(machine.read(backlog)).toBe("4096");
    await attune.ask({ do: "undo-perftune" });
    expect(machine.read(backlog)).toBe("777");
    await rollback();
    expect(machine.read(backlog)).toBe("128");
  });

  test("applies a profile, then another, and rolls everything back", async () => {
    const before = configuration();
    expect((await apply("short")).settings).toMatchObject([{ type: "set", before: "60", value: "33" }]);
    expect(machine.read(finTimeout)).toBe("33");
    expect(await verify("short")).toEqual({ differences: [] });

    const { settings, restored } = await apply("long");
    expect(settings).toMatchObject([{ type: "set", before: "15", value: "12" }]);
    expect(restored.filter(({ failed }) => failed !== undefined)).toEqual([]);
    expect([machine.read(finTimeout), machine.read(retries)]).toEqual(["60", "12"]);
    expect(machine.daemons()).toHaveLength(1);

    await rollback();
    expect([machine.read(finTimeout), machine.read(retries)]).toEqual(["60", "15"]);
    expect(machine.daemons()).toEqual([]);
    expect(configuration()).toBe(before);
  });

  test("reports errors although TuneD logs that it applied the profile", async () => {
    const { settings } = await apply("broken");
    const failures = settings.flatMap((setting) => (setting.type === "failed" ? [setting.message] : []));
    expect(failures).toEqual(
      expect.arrayContaining([
        "failed to initialize plugin foo",
        "sysctl option net.ipv4.nosuch will not be set, failed to read the original value.",
        expect.stringContaining("Failed to set sysctl parameter 'net.ipv4.tcp_retries2' to 'many'"),
        'is "15" after TuneD applied the profile, expected "many"',
      ]),
    );
    expect(machine.read(finTimeout)).toBe("33");
    await rollback();
    expect(machine.read(finTimeout)).toBe("60");
  });

  test("is killed together with a script that hangs, and the node is rolled back", async () => {
    const before = configuration();
    await attune.kill();
    attune = await machine.attune(3000);
    await expect(apply("hanging")).rejects.toThrow("TuneD did not apply the profile within 3 s and was killed");
    expect(machine.read(finTimeout)).toBe("60");
    expect(machine.daemons()).toEqual([]);
    expect(machine.run("sh", "-c", "grep -l [h]ang.sh /proc/[0-9]*/cmdline || true")).not.toContain("/proc");
    expect(configuration()).toBe(before);
  });

  test("ends the wait when its thread dies", async () => {
    await expect(apply("deadly")).rejects.toThrow(/tuning thread died: re\.error: missing \), unterminated subpattern/);
    expect(machine.read(finTimeout)).toBe("60");
  });

  test("is restarted after kill -9, and the true originals are restored (Q25)", async () => {
    await apply("short");
    const [first] = machine.daemons();
    machine.kill(first ?? 0);
    await vi.waitUntil(
      async () => machine.daemons().some((pid) => pid !== first) && (await status()).errors.length === 0,
      { timeout: 100_000 },
    );
    await apply("raised");
    expect(machine.read(finTimeout)).toBe("60");
    await apply("long");
    await rollback();
    expect([machine.read(finTimeout), machine.read(retries)]).toEqual(["60", "15"]);
  });

  test("and Attune killed with -9 do not lose originals (Q25)", async () => {
    const before = configuration();
    await apply("short");
    await attune.kill();
    for (const pid of machine.daemons()) machine.kill(pid);
    attune = await machine.attune();
    expect(machine.read(finTimeout)).toBe("33");
    await rollback();
    expect(machine.read(finTimeout)).toBe("60");
    expect(configuration()).toBe(before);
  });

  test("whose Attune was killed is replaced", async () => {
    await apply("short");
    const [first] = machine.daemons();
    await attune.kill();
    attune = await machine.attune();
    expect(machine.daemons()).toEqual([first]);
    await apply("long");
    expect([machine.read(finTimeout), machine.read(retries)]).toEqual(["60", "12"]);
    expect(machine.daemons()).toHaveLength(1);
    expect(machine.daemons()).not.toContain(first);
    await rollback();
    expect([machine.read(finTimeout), machine.read(retries)]).toEqual(["60", "15"]);
  });

  test("that Attune did not start is not touched", async () => {
    machine.run("sh", "-c", "tuned --no-dbus -p '' >/dev/null 2>&1 &");
    await vi.waitUntil(() => machine.daemons().length === 1, { timeout: 100_000 });
    const [theirs] = machine.daemons();
    await expect(apply("short")).rejects.toThrow(`not started by Attune is running (process ${theirs})`);
    expect(machine.daemons()).toEqual([theirs]);
    expect(machine.read(finTimeout)).toBe("60");
  });

  test("applies the right profile through many changes", async () => {
    for (let round = 0; round < 10; round++) await apply(["short", "long", "raised"][round % 3] ?? "short");
    await rollback();
    expect([machine.read(finTimeout), machine.read(retries)]).toEqual(["60", "15"]);
  });
});
