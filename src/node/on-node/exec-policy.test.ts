import { describe, expect, test } from "vitest";
import type { ApplyReport, RollbackReport, VerifyReport } from "../engine/engine.ts";
import { renderProfile } from "../engine/tuned-daemon/render-profile.ts";
import type { TunedStatus } from "../engine/tuned-daemon/tuned-engine.ts";
import type { CommandResult } from "../host/host.ts";
import { MemoryBase } from "../host/memory-base.ts";
import { MemoryHost } from "../host/memory-host.ts";
import { apiVersion, type Profile } from "../../domain/node-tuning/api.ts";
import { defaultTuned } from "../../domain/node-tuning/default-tuned.ts";
import type { Probe } from "../../language/tuned/probe.ts";
import type { ResolvedProfile } from "../../language/tuned/resolve.ts";
import { baseTexts } from "../../language/tuned/profiles/base-profiles.ts";
import { noLog } from "../../cluster/runtime/log/log.ts";
import { VirtualClock } from "../../cluster/runtime/testing/virtual-clock.ts";
import { providerPath } from "./answer-probes.ts";
import { type ExecPolicy, execRule, mayAnswer } from "./exec-policy.ts";
import { type DaemonEngine, NodeEngines } from "./node-engines.ts";
import { NodeTuner } from "./node-tuner.ts";
import { tuneFromRecord } from "./one-shot.ts";
import { profileStatus } from "./report/profile-status.ts";

const own = "/etc/tuned/profiles/p/own.sh";
const placed = "/var/lib/attune/profiles/cpu-partitioning/script.sh";

/** Records which programs ran. */
class Node extends MemoryHost {
  readonly ran: string[] = [];

  constructor() {
    super(
      new MemoryBase(
        Object.entries({
          "/proc/sys/kernel/random/boot_id": "b\n",
          "/proc/sys/vm/swappiness": "60\n",
          "/proc/sys/vm/max_map_count": "20\n",
          "/proc/cpuinfo": "processor\t: 0\n",
          "/sys/devices/system/cpu/online": "0-1\n",
          "/sys/devices/system/cpu/present": "0-1\n",
          "/sys/devices/system/cpu/cpu0/topology/core_id": "0\n",
          "/sys/devices/system/cpu/cpu1/topology/core_id": "1\n",
          "/etc/tuned/cpu-partitioning-variables.conf": "isolated_cores=1\n",
          [own]: "#!/bin/sh\n",
        }),
      ),
    );
  }

  override run(argv: readonly string[]): Promise<CommandResult> {
    this.ran.push(argv.join(" "));
    const stdout = argv[0] === "echo" ? (argv[1] ?? "") : "";
    return Promise.resolve({ type: "exited", code: 0, stdout, stderr: "" });
  }

  async value(name: string): Promise<string> {
    const file = await this.read(`/proc/sys/vm/${name}`);
    return file.type === "text" ? file.text.trim() : file.type;
  }
}

const text = `[main]
include=cpu-partitioning,-\${f:exec:echo:more}

[variables]
ratio=\${f:exec:echo:33}

[sysctl]
vm.swappiness=11
vm.max_map_count=\${ratio}

[own]
type=script
script=${own}

[bootloader]
cmdline_own=+own=\${f:exec:echo:1}
`;

/** Stands for TuneD, and keeps what it is asked to apply. */
class Daemon implements DaemonEngine {
  readonly name = "tuned";
  readonly asked: string[] = [];

  apply(profile: ResolvedProfile): Promise<ApplyReport> {
    this.asked.push(renderProfile(profile).text);
    return Promise.resolve({ settings: [], restored: [] });
  }

  verify(): Promise<VerifyReport> {
    return Promise.resolve({ differences: [] });
  }

  rollback(): Promise<RollbackReport> {
    return Promise.resolve({ restored: [] });
  }

  status(): TunedStatus {
    return { running: true, errors: [] };
  }
}

async function tuned(exec: ExecPolicy | undefined, data = text, daemon?: Daemon) {
  const host = new Node();
  const engines = new NodeEngines({ host, option: daemon ? "tuned" : "native", tuned: daemon });
  const clock = new VirtualClock();
  const tuner = new NodeTuner({ node: "n", host, engines, clock, resyncIntervalMs: 1, log: noLog, exec });
  const profile: Profile = {
    apiVersion,
    kind: "Profile",
    metadata: { name: "n" },
    spec: { config: { tunedProfile: "p", providerName: "aws" }, profile: [{ name: "p", data }] },
  };
  const tuning = await tuner.tune(profile);
  const { conditions = [], bootcmdline } = profileStatus(profile, tuning, "2026-01-01T00:00:00Z");
  const { reason = "", message = "" } = conditions.find(({ type }) => type === "Degraded") ?? {};
  return { host, reason, message, bootcmdline };
}

const chosen = (ran: readonly string[]): string[] => ran.filter((line) => /^(echo|\/)/.test(line)).toSorted();

describe("an agent with --exec", () => {
  test.each([undefined, "allow"] as const)("%s runs what profiles ask for", async (exec) => {
    const { host, bootcmdline } = await tuned(exec);
    expect(chosen(host.ran)).toEqual([`${own} start`, `${placed} start`, "echo 1", "echo 33", "echo more"]);
    expect(await host.value("max_map_count")).toBe("33");
    expect(bootcmdline).toContain("own=1");
  });

  test("builtin runs what built-in profiles ask for, and names every setting that it refuses", async () => {
    const { host, message, bootcmdline } = await tuned("builtin");
    expect(chosen(host.ran)).toEqual([`${placed} start`]);
    expect([await host.value("swappiness"), await host.value("max_map_count")]).toEqual(["11", "20"]);
    for (const finding of [
      "p/tuned.conf:2: include: not complete: running `echo more` is refused (--exec builtin)",
      "p/tuned.conf:9: [sysctl] vm.max_map_count is not set: running `echo 33` is refused (--exec builtin)",
      `p/tuned.conf:13: [own] script is not run: ${own} is refused (--exec builtin)`,
      "p/tuned.conf:16: [bootloader] cmdline_own is not set: running `echo 1` is refused (--exec builtin)",
    ])
      expect(message).toContain(finding);
    expect(bootcmdline).toContain("nohz_full=1");
    expect(bootcmdline).not.toContain("own=");
    expect(bootcmdline).not.toContain("$");
  });

  test("none runs nothing that a profile names, and still tunes everything else", async () => {
    const { host, message } = await tuned("none");
    expect(chosen(host.ran)).toEqual([]);
    expect([await host.value("swappiness"), await host.value("max_map_count")]).toEqual(["11", "20"]);
    expect(message).toContain(
      "[script] script is not run: /usr/lib/attune/profiles/cpu-partitioning/script.sh is refused",
    );
  });

  test("none still learns the kernel, the processor and the cloud provider", async () => {
    const data =
      "[main]\ninclude=-provider-${f:exec:cat:/var/lib/ocp-tuned/provider}\n" +
      "[sysctl]\nvm.swappiness=${f:regex_search_ternary:${f:exec:uname:-r}:rt:1:2}\nvm.max_map_count=${f:lscpu_check:X:1:3}\n" +
      "[arm]\ntype=sysctl\nuname_regex=aarch64\nvm.swappiness=9\n";
    const { host, reason } = await tuned("none", data);
    expect(host.ran.toSorted()).toEqual(["lscpu", "uname -r", "uname -snrvm"]);
    expect([await host.value("swappiness"), await host.value("max_map_count")]).toEqual(["2", "3"]);
    expect(reason).toBe("AsExpected");
  });

  test.each([
    ["a list of devices", "[a]\ntype=sysctl\ndevices=${f:exec:echo:x}\nvm.swappiness=11\n", "[a] devices"],
    ["a condition", "[a]\ntype=sysctl\nuname_regex=${f:exec:echo:x}\nvm.swappiness=11\n", "[a] uname_regex"],
    ["a kernel module", "[modules]\n${f:exec:echo:x}=+r\n", "[modules] ${f:exec:echo:x}"],
    ["a script of a device", "[a]\ntype=disk\nscript_pre=/etc/tuned/profiles/p/own.sh\n", "[a] script_pre"],
  ])("none refuses %s", async (_, data, setting) => {
    const { host, reason, message } = await tuned("none", data);
    expect(chosen(host.ran)).toEqual([]);
    expect(reason).toBe("TunedWarning");
    expect(await host.value("swappiness")).toBe("60");
    expect(message).toContain(setting);
  });

  test("none keeps programs from TuneD, which would run them, also before the first pod", async () => {
    const daemon = new Daemon();
    const data = "[scheduler]\nps_whitelist=\\${f:exec:touch:/x}\n[sysctl]\nvm.swappiness=11\n";
    const { host, reason, message } = await tuned("none", data, daemon);
    await tuneFromRecord(host, new NodeEngines({ host, option: "tuned", tuned: daemon }));
    expect(daemon.asked).toHaveLength(2);
    for (const asked of daemon.asked) expect([asked.includes("11"), asked.includes("${")]).toEqual([true, false]);
    expect([reason, message]).toEqual([
      "TunedWarning",
      expect.stringContaining("p/tuned.conf:2: [scheduler] ps_whitelist is not set: TuneD could run programs"),
    ]);
  });

  test("builtin allows every program that the profiles of Attune name", () => {
    const texts = [...baseTexts().values(), ...(defaultTuned("n").spec?.profile ?? []).map(({ data }) => data)];
    const calls = texts.flatMap((one) => one.match(/\$\{f:exec[^}]*\}/g) ?? []);
    expect(calls).not.toEqual([]);
    const programs = calls.map((call): Probe => ({ type: "exec", argv: call.slice(9, -1).split(":") }));
    const asked = programs.filter((probe) => !mayAnswer(probe, execRule("builtin")));
    // This one is read as a file.
    expect(asked).toEqual([{ type: "exec", argv: ["cat", providerPath] }]);
  });

  test("none holds before the first pod as well, when no operator can be asked", async () => {
    const { host } = await tuned("none");
    host.ran.length = 0;
    await tuneFromRecord(host, new NodeEngines({ host, option: "native" }));
    expect(chosen(host.ran)).toEqual([]);
  });
});
