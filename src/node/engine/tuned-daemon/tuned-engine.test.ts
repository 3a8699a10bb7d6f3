import { beforeEach, describe, expect, test } from "vitest";
import type { CommandResult, FileText, Outcome } from "../../host/host.ts";
import { MemoryBase } from "../../host/memory-base.ts";
import { MemoryHost } from "../../host/memory-host.ts";
import { VirtualClock } from "../../../cluster/runtime/testing/virtual-clock.ts";
import { parseProfile } from "../../../language/tuned/text/parse-profile.ts";
import { noAnswers } from "../../../language/tuned/probe.ts";
import { type ResolvedProfile, resolve } from "../../../language/tuned/resolve.ts";
import { NotAppliedError } from "./not-applied-error.ts";
import type { Launch } from "./launch.ts";
import { FakeTuned } from "./testing/fake-tuned.ts";
import { TunedEngine } from "./tuned-engine.ts";

const bootId = "/proc/sys/kernel/random/boot_id";
const swappiness = "/proc/sys/vm/swappiness";
const somaxconn = "/proc/sys/net/core/somaxconn";
const mainConfig = "/etc/tuned/tuned-main.conf";

class Node extends MemoryHost {
  readonly ran: string[] = [];
  readonly pruned: string[] = [];
  /** Files of running programs, by path. */
  readonly processes = new Map<string, string>();

  override async read(path: string): Promise<FileText> {
    const text = this.processes.get(path);
    return text === undefined ? super.read(path) : { type: "text", text };
  }

  override async list(path: string): Promise<string[]> {
    const pids = [...this.processes.keys()].flatMap((file) => /^\/proc\/([0-9]+)\//.exec(file)?.[1] ?? []);
    return [...(await super.list(path)), ...(path === "/proc" ? new Set(pids) : [])];
  }

  override async prune(path: string): Promise<Outcome> {
    this.pruned.push(path);
    return super.prune(path);
  }

  override async run(argv: readonly string[]): Promise<CommandResult> {
    this.ran.push(argv.join(" "));
    if (argv[0] === "kill") this.processes.clear();
    return { type: "exited", code: 0, stdout: "", stderr: "" };
  }
}

let host: Node;
let clock: VirtualClock;
let tuned: FakeTuned;
let stop: AbortController;
let engine: TunedEngine;

/** A new process of Attune on the node that the last one left. */
function begin(): void {
  tuned = new FakeTuned(host);
  stop = new AbortController();
  engine = new TunedEngine({ launch: tuned.launch, timer: clock, signal: stop.signal });
}

beforeEach(() => {
  clock = new VirtualClock();
  const files: [string, string][] = [
    [bootId, "boot-1\n"],
    [swappiness, "60\n"],
    [somaxconn, "128\n"],
    [mainConfig, "daemon = 1\nreapply_sysctl = 0\n"],
    ["/etc/tuned/active_profile", "mine\n"],
  ];
  host = new Node(new MemoryBase(files, [bootId]));
  begin();
});

function sysctls(name: string, ...lines: string[]): ResolvedProfile {
  const parsed = parseProfile(`[sysctl]\n${lines.join("\n")}\n`, name);
  const resolution = resolve({ profile: name, layers: [new Map([[name, parsed]])] }, noAnswers);
  if (resolution.type !== "resolved") throw new Error(JSON.stringify(resolution));
  return resolution.profile;
}

async function text(path: string): Promise<string | undefined> {
  const file = await host.read(path);
  return file.type === "text" ? file.text.trim() : undefined;
}

const a = sysctls("a", "vm.swappiness=11");
const b = sysctls("b", "net.core.somaxconn=>512");

describe("applying", () => {
  test("makes TuneD set the profile's values, and verifies them", async () => {
    const { settings } = await engine.apply(a, host);
    expect(settings).toMatchObject([{ type: "set", option: "vm.swappiness", before: "60", value: "11" }]);
    expect(await text(swappiness)).toBe("11");
    expect(await text("/etc/tuned/active_profile")).toBe("attune-a");
    expect(await text("/etc/tuned/profile_mode")).toBe("manual");
    expect(await text("/etc/tuned/recommend.d/00-attune.conf")).toBe("[attune-a]");
    expect(await engine.verify(a, host)).toEqual({ differences: [] });
  });

  test("reports settings that TuneD did not make although it logs success", async () => {
    const broken = sysctls("a", "vm.swappiness=many", "vm.nosuch=1");
    const { settings } = await engine.apply(broken, host);
    expect(settings).toMatchObject([
      { type: "failed", unit: "TuneD", message: "Failed to set sysctl parameter 'vm.swappiness'" },
      { type: "failed", unit: "TuneD", message: "Failed to set sysctl parameter 'vm.nosuch'" },
      { type: "failed", option: "vm.swappiness", message: 'is "60" after TuneD applied the profile, expected "many"' },
      { type: "failed", option: "vm.nosuch" },
    ]);
    expect(engine.status().errors).toHaveLength(2);
  });

  test("restarts TuneD to change its log level, keeping all settings", async () => {
    const started: string[] = [];
    const levels: string[] = [];
    const launch: Launch = (argv, onLine) => {
      started.push(argv.at(-1) ?? "");
      return tuned.launch(argv, onLine);
    };
    const onRecord = ({ level }: { level: string }): unknown => levels.push(level);
    engine = new TunedEngine({ launch, timer: clock, signal: stop.signal, onRecord });
    await engine.apply(a, host);
    await engine.apply(a, host, { debug: true });
    await engine.apply(a, host, { debug: true });
    await engine.apply(a, host);
    expect(started.map((word) => word === "--debug")).toEqual([false, true, false]);
    expect(await text(swappiness)).toBe("11");
    expect(levels).toContain("INFO");
    await engine.rollback(host);
    expect(await text(swappiness)).toBe("60");
  });

  test("reloads for another profile, and removes the files of the last", async () => {
    await engine.apply(a, host);
    await engine.apply(b, host);
    expect(tuned.received).toEqual(["SIGHUP"]);
    expect(await text(swappiness)).toBe("60");
    expect(await text(somaxconn)).toBe("512");
    expect(await text("/etc/tuned/attune-a/tuned.conf")).toBeUndefined();
    expect(host.pruned).toContain("/etc/tuned/attune-a");
  });

  test("does not reload a daemon whose profile is in force", async () => {
    await engine.apply(a, host);
    expect(await engine.apply(a, host)).toMatchObject({ settings: [{ type: "same" }] });
    expect(tuned.received).toEqual([]);
  });

  test("reloads when another process changed a setting", async () => {
    await engine.apply(a, host);
    await host.write(swappiness, "99");
    expect((await engine.verify(a, host)).differences).toMatchObject([{ option: "vm.swappiness", drifted: true }]);
    await engine.apply(a, host);
    expect(tuned.received).toEqual(["SIGHUP"]);
    expect(await text(swappiness)).toBe("11");
    await engine.rollback(host);
    expect(await text(swappiness)).toBe("60");
  });

  test("turns a one-shot TuneD into a daemon until a roll-back", async () => {
    await host.write(mainConfig, "daemon = 0 # once\nsleep_interval = 3\n");
    await engine.apply(a, host);
    await engine.apply(b, host);
    expect(await text(mainConfig)).toBe("daemon = 1\nsleep_interval = 3");
    await engine.rollback(host);
    expect(await text(mainConfig)).toBe("daemon = 0 # once\nsleep_interval = 3");
  });

  test("is refused where another TuneD runs, and changes nothing", async () => {
    host.processes.set("/proc/77/cmdline", "/usr/bin/python3\0/usr/sbin/tuned\0");
    const before = [...host.changes()];
    await expect(engine.apply(a, host)).rejects.toThrow(/not started by Attune is running \(process 77\)/);
    expect([...host.changes()]).toEqual(before);
    expect(tuned.starts).toBe(0);
  });

  test("is refused where another engine holds the lock", async () => {
    const locked = new TunedEngine({
      launch: tuned.launch,
      timer: clock,
      signal: stop.signal,
      lock: () => Promise.reject(new Error("process 5 is using it")),
    });
    await expect(locked.apply(a, host)).rejects.toThrow("process 5 is using it");
    expect(tuned.starts).toBe(0);
  });
});

describe("a profile that TuneD fails to apply", () => {
  test("is rolled back", async () => {
    tuned.answer = () => {
      void host.write(swappiness, "11");
      tuned.log("ERROR", "units.manager", "cannot do x");
    };
    const applying = engine.apply(a, host);
    const refused = expect(applying).rejects.toThrow(
      /did not apply the profile within 60 s and was killed; cannot do x/,
    );
    await clock.advance(60_000);
    await refused;
    await expect(applying).rejects.toBeInstanceOf(NotAppliedError);
    expect(await text(swappiness)).toBe("60");
    expect(await text("/etc/tuned/active_profile")).toBe("mine");
    expect(await text("/etc/tuned/attune-a/tuned.conf")).toBeUndefined();
    expect(engine.status()).toMatchObject({
      running: false,
      errors: ["cannot do x", expect.stringContaining("killed")],
    });
  });
});

describe("originals", () => {
  const files = async (): Promise<unknown> => ({
    swappiness: await text(swappiness),
    somaxconn: await text(somaxconn),
    active: await text("/etc/tuned/active_profile"),
    mode: await text("/etc/tuned/profile_mode"),
    recommended: await text("/etc/tuned/recommend.d/00-attune.conf"),
  });
  const untouched = { swappiness: "60", somaxconn: "128", active: "mine", mode: undefined, recommended: undefined };

  test("are restored by a roll-back", async () => {
    await engine.apply(a, host);
    await engine.apply(b, host);
    await engine.rollback(host);
    expect(tuned.received).toEqual(["SIGHUP", "SIGTERM"]);
    expect(await files()).toEqual(untouched);
    expect(await engine.rollback(host)).toEqual({ restored: [] });
  });

  test("are restored after Attune and TuneD were killed", async () => {
    await engine.apply(a, host);
    begin();
    await engine.rollback(host);
    expect(tuned.starts).toBe(0);
    expect(await files()).toEqual(untouched);
  });

  test("are on disk before TuneD is started", async () => {
    let journalled: boolean | undefined;
    const { launch } = tuned;
    const watched = new TunedEngine({
      timer: clock,
      signal: stop.signal,
      launch: (...args) => {
        journalled = [...host.changes()].some(([path]) => path === "/var/lib/attune/journal.json");
        return launch(...args);
      },
    });
    await watched.apply(a, host);
    expect(journalled).toBe(true);
  });

  test("are restored when the daemon was killed, restarted and given another profile", async () => {
    await engine.apply(a, host);
    tuned.exit(null, "SIGKILL");
    await clock.advance(1000);
    expect(tuned.starts).toBe(2);
    expect(engine.status()).toMatchObject({ running: true, errors: [] });
    await engine.apply(b, host);
    expect(await text(swappiness)).toBe("60");
    await engine.rollback(host);
    expect(await files()).toEqual(untouched);
  });

  test("are restored when Attune was killed, found its daemon running and was given another profile", async () => {
    await engine.apply(a, host);
    begin();
    await host.write("/run/attune/tuned.pid", "77");
    host.processes.set("/proc/77/cmdline", "/usr/bin/python3\0/usr/sbin/tuned\0");
    host.processes.set("/proc/77/status", "PPid:\t1\n");
    await engine.apply(b, host);
    expect(host.ran).toContain("kill -KILL 77");
    expect(await text(swappiness)).toBe("60");
    expect(await text(somaxconn)).toBe("512");
    await engine.rollback(host);
    expect(await files()).toEqual(untouched);
  });

  test("stay when Attune restarts with the same profile, which leaves no gap", async () => {
    await engine.apply(a, host);
    stop.abort();
    begin();
    const written: string[] = [];
    const write = host.write.bind(host);
    host.write = (path, value) => {
      written.push(`${path} ${value}`);
      return write(path, value);
    };
    await engine.apply(a, host);
    expect(written).toEqual([`${swappiness} 11`]);
    await engine.rollback(host);
    expect(await files()).toEqual(untouched);
  });
});
