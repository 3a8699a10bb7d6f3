import { describe, expect, it } from "vitest";
import { readLedger } from "../../../src/node/engine/journal.ts";
import { repairDrift } from "../../../src/node/engine/drift.ts";
import { nativeEngine } from "../../../src/node/engine/native-engine.ts";
import { Crash, CrashingHost } from "../../../src/node/engine/testing/crashing-host.ts";
import { recordOriginals } from "../../../src/node/perftune/record-originals.ts";
import { type PerftuneResult, runPerftune } from "../../../src/node/perftune/run-perftune.ts";
import { undoPerftune } from "../../../src/node/perftune/undo-perftune.ts";
import { parseProfile } from "../../../src/language/tuned/text/parse-profile.ts";
import { noAnswers } from "../../../src/language/tuned/probe.ts";
import { type ResolvedProfile, resolve } from "../../../src/language/tuned/resolve.ts";
import { MemoryMachine } from "./memory-machine.ts";
import type { RecordedHost } from "./recorded-host.ts";
import { options } from "./recorded.ts";

const eightCpus = "1 x 4 x 2 split";
const config = "/etc/default/irqbalance";
const bootId = "/proc/sys/kernel/random/boot_id";

/** Four queues and their IRQs, and a disk. The card can have two queues. */
const card: RecordedHost = {
  interrupts: {
    "25": "PCI-MSI eth0-Tx-Rx-0",
    "26": "PCI-MSI eth0-Tx-Rx-1",
    "27": "PCI-MSI eth0-Tx-Rx-2",
    "28": "PCI-MSI eth0-Tx-Rx-3",
    "60": "PCI-MSI nvme0q0",
  },
  nics: {
    eth0: {
      driver: "ena",
      msi: [25, 26, 27, 28],
      rx: 4,
      tx: 4,
      setChannels: {
        "combined 2": { rxAfter: 2, irqsGone: [27, 28] },
        "combined 1": { rxAfter: 1, irqsGone: [26, 27, 28] },
      },
    },
  },
  block: {
    nvme0n1: {
      sysPath: "/sys/devices/pci0000:00/0000:00:1e.0/nvme/nvme0/nvme0n1",
      queue: { scheduler: "[mq-deadline] none", nomerges: "0" },
    },
  },
  controllers: { "/sys/devices/pci0000:00/0000:00:1e.0": [60] },
  processes: ["irqbalance"],
  extraFiles: {
    "/lib/systemd/system/irqbalance.service": "[Service]\n",
    // Without a newline at its end.
    [config]: 'A=1\nIRQBALANCE_ARGS="--hintpolicy=ignore --banirq=9"\nB=2',
  },
};

const net = ["--tune", "net", "--nic", "eth0", "--irq-cpu-mask", "0x11"];
const disks = ["--tune", "disks", "--dev", "nvme0n1", "--irq-cpu-mask", "0x11"];

function node(host: RecordedHost = card): MemoryMachine {
  return new MemoryMachine(host, eightCpus, { tellsChannels: true });
}

async function tune(host: MemoryMachine | CrashingHost, args: readonly string[]): Promise<readonly PerftuneResult[]> {
  const run = await runPerftune(host, options(args));
  if (run.type === "refused") throw new Error(run.problem);
  return run.results;
}

function failed(results: readonly PerftuneResult[]): (string | undefined)[] {
  return results.flatMap((one) => (one.type === "failed" ? [one.message] : []));
}

async function text(host: MemoryMachine, path: string): Promise<string> {
  const file = await host.read(path);
  return file.type === "text" ? file.text.trimEnd() : file.type;
}

const affinity = (irq: number): string => `/proc/irq/${irq}/smp_affinity`;

function profileOf(body: string): ResolvedProfile {
  const resolution = resolve({ profile: "p", layers: [new Map([["p", parseProfile(body, "p")]])] }, noAnswers);
  if (resolution.type !== "resolved") throw new Error(JSON.stringify(resolution));
  return resolution.profile;
}

describe("undoing restores every byte", () => {
  it("after runs with other inputs, one after the other", async () => {
    const host = node();
    for (const args of [
      net,
      disks,
      [...net, "--num-rx-queues", "1", "--arfs", "true"],
      [...disks, "--write-back-cache", "true"],
    ])
      expect(failed(await tune(host, args))).toEqual([]);
    expect((await undoPerftune(host)).filter(({ failed: why }) => why !== undefined)).toEqual([]);
    expect([...host.changes()]).toEqual([]);
    expect(host.ntuple().get("eth0")).not.toBe("on");
  });

  it("killed at any change of a second run with other inputs", async () => {
    let change = 0;
    for (let crashed = true; crashed; change++) {
      const host = node();
      await tune(host, [...net, ...disks]);
      const outcome = await tune(new CrashingHost(host, change, "after"), [...net, "--num-rx-queues", "1"]).catch(
        (error: unknown) => error,
      );
      crashed = outcome instanceof Crash;
      await undoPerftune(host);
      expect([...host.changes()], `killed after change ${change}`).toEqual([]);
    }
    expect(change).toBeGreaterThan(10);
  });

  it("killed at any change of an undo, by the next one", async () => {
    let change = 0;
    for (let crashed = true; crashed; change++) {
      const host = node();
      await tune(host, [...net, ...disks]);
      const outcome = await undoPerftune(new CrashingHost(host, change, "after")).catch((error: unknown) => error);
      crashed = outcome instanceof Crash;
      await undoPerftune(host);
      expect([...host.changes()], `killed after change ${change}`).toEqual([]);
    }
    expect(change).toBeGreaterThan(10);
  });

  it("of files that outlive a reboot; what the kernel forgot is not written (9.2 W-1)", async () => {
    const host = node();
    await tune(host, [...net, ...disks]);
    host.restart(["/proc", "/sys"], "shutdown");
    host.put(bootId, "boot-2\n");
    host.deeds.length = 0;
    await undoPerftune(host);
    expect(await text(host, config)).toBe(card.extraFiles?.[config]);
    expect(host.deeds.filter((deed) => "write" in deed).map((deed) => "write" in deed && deed.write)).toEqual([config]);
    expect([...host.changes().keys()]).toEqual([bootId]);
  });

  it("while another program has added lines to the file, which stay", async () => {
    const host = node();
    await tune(host, net);
    host.put(config, `${await text(host, config)}\nC=3\n`);
    await undoPerftune(host);
    expect(await text(host, config)).toBe(`${card.extraFiles?.[config]}\nC=3`);
  });
});

describe("irqbalance", () => {
  it("bans what the runs tune, and not what is gone (9.2 W-15)", async () => {
    const host = node();
    await tune(host, [...net, "--num-rx-queues", "4"]);
    await tune(host, disks);
    const bans = async (): Promise<string> => (await text(host, config)).split("\n")[1] ?? "";
    expect(await bans()).toBe(
      'IRQBALANCE_ARGS="--hintpolicy=ignore --banirq=9 --banirq=25 --banirq=26 --banirq=27 --banirq=28 --banirq=60"',
    );
    await tune(host, net);
    expect(await bans()).toBe('IRQBALANCE_ARGS="--hintpolicy=ignore --banirq=9 --banirq=25 --banirq=26 --banirq=60"');
  });

  it("is restarted by the next run where one was killed before it could", async () => {
    let restarts = 0;
    for (let change = 0, crashed = true; crashed; change++) {
      const host = node();
      const outcome = await tune(new CrashingHost(host, change, "before"), net).catch((error: unknown) => error);
      crashed = outcome instanceof Crash;
      const isWritten = (await text(host, config)).includes("--banirq=25");
      const isRestarted = host.deeds.some((deed) => "run" in deed && deed.run.startsWith("systemctl"));
      host.deeds.length = 0;
      await tune(host, net);
      const again = host.deeds.filter((deed) => "run" in deed && deed.run.startsWith("systemctl")).length;
      if (!isRestarted) expect(again, `killed before change ${change}`).toBe(1);
      if (isWritten && !isRestarted) restarts++;
    }
    expect(restarts).toBeGreaterThan(0);
  });

  it("keeps its file where /etc is read-only: the rest is tuned, and the run says so", async () => {
    const host = node();
    host.refusals.set(config, "EROFS");
    host.refusals.set(`${config}.scylla.orig`, "EROFS");
    expect(failed(await tune(host, net))).toEqual([expect.stringContaining("EROFS")]);
    expect(await text(host, affinity(25))).toBe("00000001");
    await undoPerftune(host);
    expect([...host.changes()]).toEqual([]);
  });
});

describe("a host that changes or refuses", () => {
  it("IRQs whose CPUs the kernel manages are told, and not tried again", async () => {
    const host = node();
    for (const irq of [25, 60]) host.refusals.set(affinity(irq), irq === 25 ? "EPERM" : "EIO");
    const results = await tune(host, [...net, ...disks]);
    expect(failed(results)).toEqual([]);
    expect(results.filter(({ type }) => type === "refused")).toHaveLength(2);
    host.deeds.length = 0;
    expect((await tune(host, [...net, ...disks])).filter(({ type }) => type === "refused")).toHaveLength(2);
    expect(host.deeds).toEqual([]);
  });

  it.each([affinity(26), "/sys/devices/pci0000:00/0000:00:10.0/net/eth0/queues/rx-1/rps_cpus"])(
    "%s is gone between reading and writing: the rest is tuned",
    async (path) => {
      const host = node();
      const vanishing = new Proxy(host, {
        get(target, name: keyof MemoryMachine) {
          if (name === "replace")
            return async (...args: Parameters<MemoryMachine["replace"]>) => {
              if (args[0].endsWith("journal.json")) target.put(path, undefined);
              return target.replace(...args);
            };
          const value: unknown = Reflect.get(target, name, target);
          return typeof value === "function" ? (value.bind(target) as unknown) : value;
        },
      });
      const results = await tune(vanishing, net);
      expect(failed(results)).toHaveLength(1);
      expect(await text(host, affinity(25))).toBe("00000001");
      host.put(path, path.startsWith("/proc") ? "000000ff\n" : "00000000\n");
      await undoPerftune(host);
      expect([...host.changes()]).toEqual([]);
    },
  );

  it("a card that is removed takes its originals with it", async () => {
    const host = node();
    await tune(host, [...net, ...disks]);
    for (const path of host.changes().keys()) if (path.includes("/net/eth0/")) host.put(path, undefined);
    for (const irq of [25, 26]) host.put(affinity(irq), undefined);
    expect((await undoPerftune(host)).filter(({ failed: why }) => why !== undefined)).toEqual([]);
    expect((await readLedger(host)).entries()).toEqual([]);
    expect(await text(host, affinity(60))).toBe("000000ff");
  });

  it("without ethtool the queues stay as they are, and all else is tuned", async () => {
    const host = node();
    const run = host.run.bind(host);
    host.run = async (argv, more) =>
      argv[0] === "ethtool" ? { type: "failed", message: "ethtool: no such program" } : run(argv, more);
    const results = await tune(host, net);
    expect(new Set(failed(results))).toEqual(
      new Set(["ethtool: no such program; ethtool: no such program", "ethtool: no such program"]),
    );
    expect(await text(host, affinity(28))).toBe("00000010");
    await undoPerftune(host);
    expect([...host.changes()]).toEqual([]);
  });

  it("two runs at once do one after the other, and undo as one", async () => {
    const host = node();
    await Promise.all([tune(host, net), tune(host, disks), tune(host, net)]);
    await undoPerftune(host);
    expect([...host.changes()]).toEqual([]);
  });
});

describe("4,096 IRQs", () => {
  const irqs = Array.from({ length: 4096 }, (_, index) => 100 + index);
  const many: RecordedHost = {
    interrupts: Object.fromEntries(irqs.map((irq, queue) => [String(irq), `PCI-MSI eth0-TxRx-${queue}`])),
    nics: { eth0: { driver: "ice", msi: irqs, rx: 8, tx: 8 } },
  };

  it("are spread over the IRQ CPUs, in one write of the journal, and restored", async () => {
    const host = node(many);
    let journals = 0;
    const replace = host.replace.bind(host);
    host.replace = async (...args) => {
      if (args[0].endsWith("journal.json")) journals++;
      return replace(...args);
    };
    await tune(host, net);
    // One more where ethtool tells nothing new.
    expect(journals).toBeLessThanOrEqual(2);
    const masks = await Promise.all(irqs.map((irq) => text(host, affinity(irq))));
    expect(new Set(masks)).toEqual(new Set(["00000001", "00000010"]));
    await undoPerftune(host);
    expect([...host.changes()]).toEqual([]);
  });
});

describe("perftune and a profile", () => {
  const engine = nativeEngine();
  const profile = profileOf(
    "[irq]\naffinity=2-3\n[sysctl]\nnet.core.somaxconn=9999\nvm.swappiness=1\n[net]\nchannels=combined 4\n[irqbalance]\nbanned_cpus=1\n",
  );
  const held = [affinity(25), "/proc/sys/net/core/somaxconn", "ethtool eth0 channels combined"];

  function machineWithMore(): MemoryMachine {
    return node({
      ...card,
      extraFiles: {
        ...card.extraFiles,
        "/proc/sys/vm/swappiness": "60\n",
        "/proc/irq/99/smp_affinity": "000000ff\n",
        "/proc/irq/default_smp_affinity": "000000ff\n",
      },
    });
  }

  it("the profile says what perftune holds, and drift checks leave it alone", async () => {
    const host = machineWithMore();
    await tune(host, net);
    const { settings } = await engine.apply(profile, host);
    const by = settings.flatMap((one) => (one.type === "overridden" ? [[one.target, one.by.owner]] : []));
    expect(by).toEqual(expect.arrayContaining(held.map((target) => [target, "perftune"])));
    expect(await text(host, affinity(25))).toBe("00000001");
    expect(await text(host, affinity(99))).toBe("0000000c");
    expect(await text(host, "/proc/sys/vm/swappiness")).toBe("1");
    expect(await text(host, config)).toContain("IRQBALANCE_BANNED_CPULIST=1");
    expect(await text(host, config)).toContain("--banirq=25");
    expect((await engine.verify(profile, host)).differences).toEqual([]);
    host.put(affinity(25), "00000080\n");
    expect(await repairDrift(host, { owner: "profile" })).toEqual([]);
    expect(await repairDrift(host)).toMatchObject([{ target: affinity(25), owner: "perftune" }]);
    expect(await text(host, affinity(25))).toBe("00000001");
  });

  it.each(["perftune first", "profile first"])("%s: undone in any order, the originals come back", async (order) => {
    for (const undo of ["perftune", "profile"]) {
      const host = machineWithMore();
      const steps = [() => tune(host, net), () => engine.apply(profile, host)];
      for (const step of order === "perftune first" ? steps : steps.toReversed()) await step();
      expect(await text(host, affinity(25))).toBe("00000001");
      expect(await text(host, "/proc/sys/net/core/somaxconn")).toBe("4096");
      if (undo === "perftune") {
        await undoPerftune(host);
        expect(await text(host, affinity(25))).toBe("0000000c");
        expect(await text(host, "/proc/sys/net/core/somaxconn")).toBe("9999");
        await engine.rollback(host);
      } else {
        await engine.rollback(host);
        expect(await text(host, affinity(25))).toBe("00000001");
        await undoPerftune(host);
      }
      expect([...host.changes()], `${order}, ${undo} undone first`).toEqual([]);
    }
  });

  it("what another program is about to tune is held and can be put back (engine perftune)", async () => {
    const host = machineWithMore();
    expect(await recordOriginals(host, options(net))).toMatchObject({ type: "recorded" });
    expect([...host.changes().keys()]).toEqual(["/var/lib/attune/journal.json"]);
    // What perftune.py does, which records nothing.
    await host.run(["ethtool", "-L", "eth0", "combined", "2"]);
    await host.write(affinity(25), "00000001");
    await host.write("/proc/sys/net/core/somaxconn", "4096");
    const { settings } = await engine.apply(profileOf("[irq]\naffinity=2-3\n"), host);
    expect(settings.filter(({ type }) => type === "overridden").length).toBeGreaterThan(0);
    expect(await text(host, affinity(25))).toBe("00000001");
    await engine.rollback(host);
    await undoPerftune(host);
    expect([...host.changes()]).toEqual([]);
  });
});
