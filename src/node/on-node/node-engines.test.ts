import { beforeEach, describe, expect, test } from "vitest";
import { FakeTuned } from "../engine/tuned-daemon/testing/fake-tuned.ts";
import { pidFile } from "../engine/tuned-daemon/other-tuned.ts";
import { TunedEngine } from "../engine/tuned-daemon/tuned-engine.ts";
import type { EngineName } from "../engine/choose-engine.ts";
import { MemoryBase } from "../host/memory-base.ts";
import { MemoryHost } from "../host/memory-host.ts";
import { VirtualClock } from "../../cluster/runtime/testing/virtual-clock.ts";
import { parseProfile } from "../../language/tuned/text/parse-profile.ts";
import { noAnswers } from "../../language/tuned/probe.ts";
import { resolve } from "../../language/tuned/resolve.ts";
import { execRule } from "./exec-policy.ts";
import { type AppliedBy, NodeEngines, type ToApply } from "./node-engines.ts";

const swappiness = "/proc/sys/vm/swappiness";
const somaxconn = "/proc/sys/net/core/somaxconn";

let host: MemoryHost;
let clock: VirtualClock;
let daemon: FakeTuned;
let stop: AbortController;
let engines: NodeEngines;

/** Starts an agent process on the node as the last one left it. */
function begin(option: EngineName): void {
  daemon = new FakeTuned(host);
  stop = new AbortController();
  const tuned = new TunedEngine({ launch: daemon.launch, timer: clock, signal: stop.signal });
  engines = new NodeEngines({ host, option, tuned });
}

beforeEach(() => {
  clock = new VirtualClock();
  const version = { type: "exited", code: 0, stdout: "tuned 2.20.0\n", stderr: "" } as const;
  const nothing = { type: "exited", code: 0, stdout: "", stderr: "" } as const;
  host = new MemoryHost(
    new MemoryBase([
      ["/proc/sys/kernel/random/boot_id", "b\n"],
      [swappiness, "60\n"],
      [somaxconn, "128\n"],
      ["/usr/lib/tuned/functions", ""],
      ["/etc/tuned/tuned-main.conf", "daemon = 1\n"],
    ]),
    [
      ["tuned", () => version],
      ["rmdir", () => nothing],
    ],
  );
  begin("auto");
});

function wanted(text: string): ToApply {
  const parsed = parseProfile(text, "p");
  const resolution = resolve({ profile: "p", layers: [new Map([["p", parsed]])] }, noAnswers);
  if (resolution.type !== "resolved") throw new Error(JSON.stringify(resolution));
  return { profile: resolution.profile, texts: [parsed], fingerprint: text, options: {} };
}

/** `modern` uses a function that TuneD 2.20 lacks. */
const plain = wanted("[sysctl]\nvm.swappiness=10\n");
const other = wanted("[sysctl]\nvm.swappiness=20\n");
const modern = wanted("[sysctl]\nnet.core.somaxconn=${f:log:1024}\n");

/** Lets time pass while TuneD applies the profile. */
async function apply(profile: ToApply): Promise<AppliedBy> {
  const applying = engines.apply(profile);
  const state = { done: false };
  applying.then(
    () => (state.done = true),
    () => (state.done = true),
  );
  while (!state.done) await clock.advance(1000);
  return applying;
}

async function values(): Promise<string[]> {
  const files = await Promise.all([host.read(swappiness), host.read(somaxconn)]);
  return files.map((file) => (file.type === "text" ? file.text.trim() : file.type));
}

async function configuration(): Promise<string[]> {
  return host.list("/etc/tuned");
}

describe("the engines of a node", () => {
  test("are chosen for each profile, and roll each other back", async () => {
    const before = await configuration();
    expect(await apply(plain)).toMatchObject({ engine: "tuned", reason: expect.stringContaining("TuneD 2.20.0 is") });
    expect(await values()).toEqual(["10", "128"]);
    expect(await apply(modern)).toMatchObject({ engine: "native", reason: "TuneD 2.20.0 lacks function log" });
    expect(await values()).toEqual(["60", "1024"]);
    expect(daemon.alive).toBe(false);
    expect(await configuration()).toEqual(before);
    expect((await apply(plain)).engine).toBe("tuned");
    expect(await values()).toEqual(["10", "128"]);
    await engines.rollback();
    expect(await values()).toEqual(["60", "128"]);
    expect(await configuration()).toEqual(before);
  });

  test("roll back an engine that an earlier agent used", async () => {
    const before = await configuration();
    await apply(plain);
    await host.replace(pidFile, "1\n");
    stop.abort();
    begin("native");
    await apply(modern);
    expect(await values()).toEqual(["60", "1024"]);
    expect(await configuration()).toEqual(before);
    expect(await host.read(pidFile)).toEqual({ type: "missing" });
  });

  test("roll back what an earlier agent applied with TuneD", async () => {
    await apply(plain);
    await host.replace(pidFile, "1\n");
    stop.abort();
    begin("auto");
    await engines.rollback();
    expect(await values()).toEqual(["60", "128"]);
  });

  test.each([
    ["hangs", (): void => undefined, "TuneD did not apply the profile within 60 s and was killed"],
    ["dies", (): void => daemon.exit(1), "TuneD ended with status 1"],
  ])("replace a TuneD that %s with a profile, until the profile changes", async (_, answer, reason) => {
    const well = daemon.answer;
    daemon.answer = answer;
    expect(await apply(plain)).toMatchObject({ engine: "native", reason: expect.stringContaining(reason) });
    expect(await values()).toEqual(["10", "128"]);
    expect(daemon.starts).toBe(1);
    expect(await apply(plain)).toMatchObject({ engine: "native", reason: expect.stringContaining(reason) });
    expect(daemon.starts).toBe(1);
    daemon.answer = well;
    expect(await apply(other)).toMatchObject({ engine: "tuned" });
    expect(await values()).toEqual(["20", "128"]);
  });

  test("fail if TuneD is configured and fails", async () => {
    begin("tuned");
    daemon.answer = () => daemon.exit(1);
    await expect(apply(plain)).rejects.toThrow("apply the profile with TuneD: TuneD ended with status 1");
    expect(await values()).toEqual(["60", "128"]);
  });

  test("report a crashed daemon until it runs again", async () => {
    await apply(plain);
    expect(engines.troubles).toEqual([]);
    daemon.exit(null, "SIGSEGV");
    await clock.advance(0);
    expect(engines.troubles).toEqual(["TuneD ended by SIGSEGV; started again in 1 s"]);
    await clock.advance(1000);
    expect([engines.troubles, daemon.alive]).toEqual([[], true]);
  });

  /** TuneD expands what is handed to it, and some of its plug-ins expand the result again. */
  const hidden: [what: string, text: string, refused: string[]][] = [
    ["a boot argument", "[bootloader]\ncmdline=a \\${f:exec:touch:/x}\n", ["p:2 [bootloader] cmdline"]],
    ["CPUs of systemd", "[systemd]\ncpu_affinity=\\${f:exec:touch:/x}\n", ["p:2 [systemd] cpu_affinity"]],
    [
      "options of the scheduler",
      "[scheduler]\nisolated_cores=\\${f:exec:touch:/x}\nps_whitelist=x\\\\\\${f:exec:touch:/x}\n",
      ["p:2 [scheduler] isolated_cores", "p:3 [scheduler] ps_whitelist"],
    ],
    [
      "a call that a second expansion joins",
      "[variables]\na=$\n[scheduler]\nps_whitelist=\\${a}{f:exec:touch:/x}\n",
      ["p:4 [scheduler] ps_whitelist"],
    ],
    ["a name of a module", "[modules]\n\\${f:exec:touch\\:/x}=r\n", ["p:2 [modules] ${f:exec:touch\\:/x}"]],
    ["a list of devices", "[disk]\ndevices=\\${f:exec:touch:/x}\nreadahead=1\n", [": [disk]"]],
    ["a section's name", "[\\${f:exec:touch:/x}]\ntype=sysctl\nvm.swappiness=10\n", [": [\\${f:exec:touch:/x}]"]],
    ["a variable", "[variables]\na=\\${f:exec:touch:/x}\n[sysctl]\nvm.swappiness=10\n", []],
  ];
  const rest = "[more]\ntype=sysctl\nnet.core.somaxconn=1024\n";
  const handed = async (): Promise<string> => {
    const file = await host.read("/etc/tuned/attune-p/tuned.conf");
    return file.type === "text" ? file.text : file.type;
  };

  test.each(hidden)("hand TuneD no program hidden in %s if programs are refused", async (_, text, refused) => {
    begin("tuned");
    for (const policy of ["none", "builtin"] as const) {
      const by = await apply({ ...wanted(`${text}${rest}`), exec: execRule(policy) });
      expect(await handed()).toContain("net.core.somaxconn=1024");
      expect(await handed()).not.toContain("${");
      expect(by.refused).toEqual(
        refused.map((one) => {
          const [place = "", what] = one.split(/ (.*)/);
          const message = `${what} is not set: TuneD could run programs for its \${…}, which is refused (--exec ${policy})`;
          return {
            ...(place !== ":" && { file: "p", line: Number(place.slice(2)) }),
            level: "error",
            message,
            refused: true,
          };
        }),
      );
    }
  });

  const lost = hidden.filter(([, , refused]) => refused.length > 0);
  test.each(lost)("apply %s natively if TuneD may run no program for it", async (_, text) => {
    const by = await apply({ ...wanted(`${text}${rest}`), exec: execRule("none") });
    expect(by).toMatchObject({ engine: "native", reason: expect.stringContaining("TuneD could run programs") });
    expect(by.refused).toBeUndefined();
    expect(await values()).toContain("1024");
  });

  test("hand TuneD escaped references if all programs may run", async () => {
    begin("tuned");
    const text = "[scheduler]\nps_whitelist=\\${f:exec:touch:/x}\n";
    for (const exec of [undefined, execRule("allow")])
      expect([(await apply({ ...wanted(text), exec })).refused, await handed()]).toEqual([
        [],
        expect.stringContaining("ps_whitelist=\\${f:exec:touch:/x}"),
      ]);
  });

  test("are native alone where TuneD is not available", async () => {
    const bare = new MemoryHost(new MemoryBase([["/proc/sys/kernel/random/boot_id", "b\n"]]));
    engines = new NodeEngines({ host: bare, option: "auto" });
    expect(await engines.apply(plain)).toMatchObject({ engine: "native", reason: "TuneD is not installed" });
    expect(engines.troubles).toEqual([]);
    await engines.rollback();
  });
});
