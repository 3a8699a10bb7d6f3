import { describe, expect, test } from "vitest";
import { nativeEngine } from "../engine/native-engine.ts";
import { NotAppliedError } from "../engine/tuned-daemon/not-applied-error.ts";
import { Crash, CrashingHost } from "../engine/testing/crashing-host.ts";
import { journalPath } from "../engine/journal.ts";
import type { Host, Outcome } from "../host/host.ts";
import { MemoryBase } from "../host/memory-base.ts";
import { MemoryHost } from "../host/memory-host.ts";
import { apiVersion, type Deferred, deferredAnnotation, type Profile } from "../../domain/node-tuning/api.ts";
import { chosenProfileFile } from "../../domain/node-tuning/agent-daemon-set.ts";
import { inputsOf } from "../../domain/node-tuning/node-profile.ts";
import { type LogFields, type Log, noLog } from "../../cluster/runtime/log/log.ts";
import { VirtualClock } from "../../cluster/runtime/testing/virtual-clock.ts";
import { type DaemonEngine, NodeEngines } from "./node-engines.ts";
import { NodeTuner } from "./node-tuner.ts";
import type { Tuning } from "./tune-outcome.ts";
import { recordPath } from "./tuning-record.ts";

const bootId = "/proc/sys/kernel/random/boot_id";
const swappiness = "/proc/sys/vm/swappiness";
const maps = "/proc/sys/vm/max_map_count";
const resyncIntervalMs = 600_000;

/** A node that can be restarted, and its agent too. */
class World {
  readonly clock = new VirtualClock();
  readonly host: MemoryHost;
  readonly warned: LogFields[] = [];
  tuner: NodeTuner;

  constructor(commands: ConstructorParameters<typeof MemoryHost>[1] = []) {
    this.host = new MemoryHost(
      new MemoryBase([
        [bootId, "boot-0\n"],
        [swappiness, "60\n"],
        [maps, "65530\n"],
        ["/dev/cpu_dma_latency", ""],
        ["/sys/devices/system/cpu/cpu0/topology/core_id", "0\n"],
      ]),
      commands,
    );
    this.tuner = this.restartAgent();
  }

  restartAgent(host: Host = this.host): NodeTuner {
    const { clock } = this;
    const log: Log = { ...noLog, warn: (fields) => void this.warned.push(fields) };
    const engines = new NodeEngines({ host, option: "native" });
    this.tuner = new NodeTuner({ node: "n", host, engines, clock, resyncIntervalMs, log });
    return this.tuner;
  }

  /** Sysctls are lost, files stay. */
  restartNode(boot: string): void {
    this.host.put(bootId, `${boot}\n`);
    this.host.put(swappiness, "60\n");
    this.host.put(maps, "65530\n");
    this.restartAgent();
  }

  async value(path = swappiness): Promise<string> {
    const file = await this.host.read(path);
    return file.type === "text" ? file.text.trim() : file.type;
  }
}

/** A host whose /var turned read-only, as after an error of its disk. */
class ReadOnlyVar extends CrashingHost {
  constructor(host: Host) {
    super(host, Infinity, "before");
  }

  override async replace(path: string, text: string, mode?: number): Promise<Outcome> {
    return path.startsWith("/var/") ? readOnly : super.replace(path, text, mode);
  }

  override async remove(path: string): Promise<Outcome> {
    const isThere = (await this.read(path)).type !== "missing";
    return isThere && path.startsWith("/var/") ? readOnly : super.remove(path);
  }
}

const readOnly: Outcome = { type: "failed", code: "EROFS", message: "read-only file system (EROFS)" };

function profile(name: string, text: string, mode?: Deferred): Profile {
  return {
    apiVersion,
    kind: "Profile",
    metadata: { name: "n", ...(mode ? { annotations: { [deferredAnnotation]: mode } } : {}) },
    spec: { config: { tunedProfile: name }, profile: [{ name, data: text }] },
  };
}

const sysctl = (value: number): string => `[sysctl]\nvm.swappiness=${value}\n`;
const said = ({ outcome, inForce }: Tuning): string => `${outcome.type}, ${inForce?.tunedProfile ?? "?"} in force`;

describe("a change that is deferred to the next restart of the node", () => {
  test.each<[Deferred, string]>([
    ["always", "p"],
    ["always", "q"],
    ["update", "p"],
  ])("waits with deferred %s and profile %s, also while agents are restarted", async (mode, name) => {
    const w = new World();
    const first = profile("p", `${sysctl(10)}[bootloader]\ncmdline=quiet\n`);
    await w.tuner.tune(first);
    const next = profile(name, sysctl(20), mode);
    for (let round = 0; round < 3; round++) {
      const tuning = await w.tuner.tune(next);
      expect(said(tuning)).toBe("deferred, p in force");
      expect(tuning.inForce).toMatchObject({ bootcmdline: "quiet", bootcmdlineInputs: inputsOf(first.spec) });
      expect(await w.value()).toBe("10");
      w.restartAgent();
    }
    w.restartNode("boot-1");
    expect(said(await w.tuner.tune(next))).toBe(`applied, ${name} in force`);
    expect(await w.value()).toBe("20");
    w.restartAgent();
    expect(said(await w.tuner.tune(next))).toBe(`applied, ${name} in force`);
  });

  test("does not wait on a node that was never tuned", async () => {
    const w = new World();
    expect(said(await w.tuner.tune(profile("p", sysctl(10), "always")))).toBe("applied, p in force");
  });

  test("is in force at once when it is no longer deferred", async () => {
    const w = new World();
    await w.tuner.tune(profile("p", sysctl(10)));
    await w.tuner.tune(profile("p", sysctl(20), "update"));
    expect(said(await w.tuner.tune(profile("p", sysctl(20))))).toBe("applied, p in force");
    expect(await w.value()).toBe("20");
  });

  test("is forgotten when it is taken back", async () => {
    const w = new World();
    await w.tuner.tune(profile("p", sysctl(10)));
    await w.tuner.tune(profile("p", sysctl(20), "update"));
    expect(said(await w.tuner.tune(profile("p", sysctl(10), "update")))).toBe("applied, p in force");
  });

  test("is superseded by a later one", async () => {
    const w = new World();
    await w.tuner.tune(profile("p", sysctl(10)));
    await w.tuner.tune(profile("p", sysctl(20), "always"));
    await w.tuner.tune(profile("p", sysctl(30), "always"));
    w.restartNode("boot-1");
    await w.tuner.tune(profile("p", sysctl(30), "always"));
    expect(await w.value()).toBe("30");
  });

  test("a switch to another profile does not wait under update", async () => {
    const w = new World();
    await w.tuner.tune(profile("p", sysctl(10)));
    expect(said(await w.tuner.tune(profile("q", sysctl(20), "update")))).toBe("applied, q in force");
  });

  test("a node that restarts with no change deferred is tuned", async () => {
    const w = new World();
    await w.tuner.tune(profile("p", sysctl(10), "update"));
    w.restartNode("boot-1");
    expect(said(await w.tuner.tune(profile("p", sysctl(10), "update")))).toBe("applied, p in force");
    expect(await w.value()).toBe("10");
  });

  test("meanwhile a new agent holds open what the last one held", async () => {
    const w = new World();
    await w.tuner.tune(profile("p", "[cpu]\nforce_latency=5\n"));
    expect(w.host.held().size).toBe(1);
    await w.host.hold("/dev/cpu_dma_latency", "");
    w.restartAgent();
    expect(said(await w.tuner.tune(profile("p", sysctl(1), "always")))).toBe("deferred, p in force");
    expect(w.host.held().size).toBe(1);
  });

  test("an invalid profile leaves the last one in force", async () => {
    const w = new World();
    await w.tuner.tune(profile("p", sysctl(10)));
    expect(said(await w.tuner.tune(profile("q", "[main]\ninclude=nosuch\n")))).toBe("invalid, p in force");
    expect(await w.value()).toBe("10");
  });
});

describe("a drift check", () => {
  test("runs after the resync interval, sets back what another process changed, and reports which setting it was", async () => {
    const w = new World();
    const wanted = profile("p", sysctl(10));
    await w.tuner.tune(wanted);
    w.host.put(swappiness, "77\n");
    expect(w.tuner.checkInMs).toBe(resyncIntervalMs);
    await w.clock.advance(resyncIntervalMs - 1);
    await w.tuner.tune(wanted);
    expect(await w.value()).toBe("77");
    await w.clock.advance(1);
    const drifted = { target: swappiness, owner: "profile", expected: "10", found: "77" };
    expect(await w.tuner.tune(wanted)).toMatchObject({ outcome: { drift: [drifted] } });
    expect(await w.value()).toBe("10");
    expect(w.warned).toMatchObject([drifted]);
    // Reported until the next check finds no drift.
    expect(await w.tuner.tune(wanted)).toMatchObject({ outcome: { drift: [drifted] } });
    await w.clock.advance(resyncIntervalMs);
    expect(await w.tuner.tune(wanted)).toMatchObject({ outcome: { drift: [] } });
    expect(w.warned).toHaveLength(1);
  });

  test("covers what is in force while a change waits", async () => {
    const w = new World();
    await w.tuner.tune(profile("p", sysctl(10)));
    w.host.put(swappiness, "77\n");
    await w.clock.advance(resyncIntervalMs);
    const tuning = await w.tuner.tune(profile("p", sysctl(20), "always"));
    expect(tuning.outcome).toMatchObject({ type: "deferred", before: { drift: [{ found: "77" }] } });
    expect(await w.value()).toBe("10");
  });

  test("tries again what could not be set", async () => {
    const w = new World();
    const wanted = profile("p", "[sysctl]\nvm.later=1\n");
    expect(await w.tuner.tune(wanted)).toMatchObject({ outcome: { report: { settings: [{ type: "failed" }] } } });
    w.host.put("/proc/sys/vm/later", "0\n");
    await w.clock.advance(resyncIntervalMs);
    expect(await w.tuner.tune(wanted)).toMatchObject({ outcome: { report: { settings: [{ type: "set" }] } } });
    expect(await w.value("/proc/sys/vm/later")).toBe("1");
  });

  test("runs no script again", async () => {
    let runs = 0;
    const script = (): { type: "exited"; code: number; stdout: string; stderr: string } => {
      runs++;
      return { type: "exited", code: 0, stdout: "", stderr: "" };
    };
    const w = new World([["s.sh", script]]);
    const path = "/etc/tuned/profiles/s.sh";
    await w.host.replace(path, "#!/bin/sh\n");
    const wanted = profile("p", `[sysctl]\nvm.later=1\n[script]\nscript=${path}\n`);
    await w.tuner.tune(wanted);
    for (let check = 0; check < 5; check++) {
      await w.clock.advance(resyncIntervalMs);
      await w.tuner.tune(wanted);
    }
    expect(runs).toBe(1);
  });

  test("writes nothing where all is well", async () => {
    const w = new World();
    const wanted = profile("p", sysctl(10));
    await w.tuner.tune(wanted);
    const before = new Map(w.host.changes());
    w.restartAgent(new CrashingHost(w.host, 0, "before"));
    expect(said(await w.tuner.tune(wanted))).toBe("applied, p in force");
    await w.clock.advance(resyncIntervalMs);
    await w.tuner.tune(wanted);
    expect(w.host.changes()).toEqual(before);
  });
});

test("tools read the chosen profile, also while it is deferred and when its change is taken back", async () => {
  const w = new World();
  const chosen: string[] = [];
  for (const wanted of [profile("p", sysctl(10)), profile("q", sysctl(20), "always"), profile("p", sysctl(10))]) {
    await w.tuner.tune(wanted);
    chosen.push(await w.value(chosenProfileFile));
  }
  expect(chosen).toEqual(["[p]", "[q]", "[p]"]);
});

describe("a node that is released", () => {
  test("gets its originals back although /var turned read-only, and its records go once they can", async () => {
    const w = new World();
    await w.tuner.tune(profile("p", `${sysctl(10)}vm.max_map_count=99999\n`));
    const { restored } = await w.restartAgent(new ReadOnlyVar(w.host)).release();
    expect([await w.value(), await w.value(maps)]).toEqual(["60", "65530"]);
    expect(restored.filter(({ failed }) => failed === undefined)).toHaveLength(2);
    expect(restored.filter(({ failed }) => failed?.includes("read-only")).map(({ target }) => target)).toEqual([
      journalPath,
      recordPath,
      chosenProfileFile,
    ]);
    await w.restartAgent().release();
    expect([await w.value(journalPath), await w.value(recordPath)]).toEqual(["missing", "missing"]);
  });

  test("has its original values back, and the next change is not deferred", async () => {
    const w = new World();
    await w.tuner.tune(profile("p", `${sysctl(10)}vm.max_map_count=99999\n`));
    expect(await w.value(maps)).toBe("99999");
    w.restartAgent();
    await w.tuner.release();
    expect([await w.value(), await w.value(maps)]).toEqual(["60", "65530"]);
    expect(said(await w.tuner.tune(profile("p", sysctl(20), "always")))).toBe("applied, p in force");
  });
});

describe("a configured engine that fails", () => {
  test("leaves nothing in force, and the next change is not deferred", async () => {
    const w = new World();
    let broken = false;
    const tuned: DaemonEngine = {
      ...nativeEngine(),
      name: "tuned",
      status: () => ({ running: true, errors: [] }),
      async apply(resolved, host, options) {
        if (!broken) return nativeEngine().apply(resolved, host, options);
        const { restored } = await nativeEngine().rollback(host);
        throw new NotAppliedError("Hung", "TuneD was not done", restored);
      },
    };
    const engines = new NodeEngines({ host: w.host, option: "tuned", tuned });
    const tuner = new NodeTuner({ node: "n", host: w.host, engines, clock: w.clock, resyncIntervalMs, log: noLog });
    expect(said(await tuner.tune(profile("p", sysctl(10))))).toBe("applied, p in force");
    broken = true;
    const tuning = await tuner.tune(profile("q", sysctl(20)));
    expect(tuning).toEqual({
      outcome: { type: "failed", message: "apply the profile with TuneD: TuneD was not done" },
      inForce: { tunedProfile: "" },
    });
    expect(await w.value()).toBe("60");
    broken = false;
    expect(said(await tuner.tune(profile("q", sysctl(30), "always")))).toBe("applied, q in force");
  });
});

describe("an agent that is killed at any change", () => {
  const p = profile("p", `${sysctl(10)}vm.max_map_count=99999\n`);
  const q = profile("q", sysctl(20));
  const later = profile("q", sysctl(30), "always");

  /** Everything from the first tuning to the release. */
  async function live(w: World, host?: Host): Promise<void> {
    w.restartAgent(host);
    await w.tuner.tune(p);
    await w.tuner.tune(q);
    expect(said(await w.tuner.tune(later))).toBe("deferred, q in force");
    await w.tuner.release();
  }

  async function changes(): Promise<number> {
    for (let count = 0; ; count++) {
      const w = new World();
      try {
        await live(w, new CrashingHost(w.host, count, "before"));
        return count;
      } catch (error) {
        if (!(error instanceof Crash)) throw error;
      }
    }
  }

  test("leaves settings that were not made yet, which no other process changed", async () => {
    for (let change = 0, killed = true; killed; change++) {
      const w = new World();
      w.restartAgent(new CrashingHost(w.host, change, "before"));
      killed = await w.tuner.tune(p).then(
        () => false,
        (error) => error instanceof Crash,
      );
      w.restartAgent();
      expect((await w.tuner.tune(p)).outcome, `before change ${change}`).toMatchObject({ type: "applied", drift: [] });
    }
  });

  test("leaves a node that the next agent can tune and roll back", async () => {
    const count = await changes();
    expect(count).toBeGreaterThan(8);
    for (let change = 0; change < count; change++)
      for (const when of ["before", "after"] as const) {
        const w = new World();
        await expect(live(w, new CrashingHost(w.host, change, when))).rejects.toThrow(Crash);
        w.restartAgent();
        // Wherever it was killed, the wanted profile is applied, or deferred after one that was applied completely.
        const tuning = await w.tuner.tune(later);
        const expected = { applied: "30", deferred: tuning.inForce?.tunedProfile === "q" ? "20" : "10" };
        expect(tuning.outcome.type, `${when} change ${change}`).toMatch(/^(applied|deferred)$/);
        expect(await w.value(), `${when} change ${change}`).toBe(expected[tuning.outcome.type as "applied"]);
        await w.tuner.release();
        expect([await w.value(), await w.value(maps)], `${when} change ${change}`).toEqual(["60", "65530"]);
      }
  });
});
