import type { Host } from "../../host/host.ts";
import type { MemoryCommand } from "../../host/memory-host.ts";
import { parseProfile } from "../../../language/tuned/text/parse-profile.ts";
import { type Answer, type Probe, probeKey } from "../../../language/tuned/probe.ts";
import { type ResolvedProfile, resolve } from "../../../language/tuned/resolve.ts";
import type { ApplyReport, RollbackReport, VerifyReport } from "../engine.ts";
import { nativeEngine } from "../native-engine.ts";
import type { Observe, Plugin } from "../plugin.ts";
import { nativePlugins } from "../plugins/native-plugins.ts";
import { type BenchHost, benchHost, profileFolder } from "./bench-host.ts";
import type { Recorded, RecordedCase } from "./recorded-case.ts";

export interface BenchOptions {
  /** Default: all that the native engine has. */
  plugins?: readonly Plugin[];
  /** Programs that do something, by the name they are run under. */
  programs?: Record<string, MemoryCommand>;
}

/** What a plug-in did on the simulated node, in TuneD's order: apply, verify, roll back. */
export interface BenchResult {
  host: BenchHost;
  apply: ApplyReport;
  verify: VerifyReport | undefined;
  rollback: RollbackReport | undefined;
  /** The watched files. */
  applied: Record<string, string | null>;
  rolledBack: Record<string, string | null>;
  commands: {
    /** Run while planning, to read. */
    observed: string[];
    apply: string[];
    rollback: string[];
  };
}

/** Parses, resolves, applies, verifies and rolls back a recorded case with the native engine. */
export async function runCase(one: RecordedCase, options: BenchOptions = {}): Promise<BenchResult> {
  const { input } = one;
  const host = benchHost(one, options.programs);
  const profile = await resolvedProfile(one, host);
  const observed: string[] = [];
  const plugins = options.plugins ?? nativePlugins;
  const engine = nativeEngine(plugins.map((plugin) => watched(plugin, host, observed)));
  const settings = {
    reapplySysctl: { enabled: input.reapply === 1, exclude: [] },
    profileDirectories: ["/etc/tuned/profiles"],
  };

  host.commands.length = 0;
  const apply = await engine.apply(profile, host, settings);
  const applyCommands = host.commands.splice(0);
  const applied = await texts(host, input.watch);

  for (const [path, text] of Object.entries(input.fs_before_verify ?? {})) host.put(path, text);
  host.answer(input.exec_verify ?? {});
  const verify = input.verify === false ? undefined : await engine.verify(profile, host, settings);
  host.commands.length = 0;

  const extent = input.rollback === "soft" ? "shutdown" : "full";
  const rollback = input.rollback === "none" ? undefined : await engine.rollback(host, { extent });
  return {
    host,
    apply,
    verify,
    rollback,
    applied,
    rolledBack: await texts(host, input.watch),
    commands: { observed, apply: applyCommands, rollback: [...host.commands] },
  };
}

/** The part of a result that TuneD's must equal: texts without the newline that the kernel would add. */
export function outcomeOf({ applied, rolledBack, verify }: BenchResult): Record<string, unknown> {
  return {
    applied: trimmed(applied),
    rolledBack: trimmed(rolledBack),
    verified: verify && verify.differences.length === 0,
  };
}

export function expectedOutcome(
  { input, expect }: RecordedCase,
  instead: Partial<Recorded> = {},
): Record<string, unknown> {
  const { applied, rolled_back, verify } = { ...expect, ...instead };
  return {
    applied: trimmed(applied),
    rolledBack: trimmed(rolled_back),
    verified: input.verify === false ? undefined : verify,
  };
}

/** The engine's failures and warnings, with their reasons. */
export function complaints({ apply }: BenchResult): string[] {
  return apply.settings.flatMap((setting) => {
    if (setting.type === "failed" || (setting.type === "skipped" && setting.level === "warning"))
      return [`${setting.option}: ${setting.message}`];
    return [];
  });
}

/** TuneD's warnings and errors up to and including the apply. */
export function expectedComplaints({ expect }: RecordedCase): string[] {
  return [...(expect.create_logs ?? []), ...(expect.apply_logs ?? [])].flatMap(([level, message]) =>
    level === "WARNING" || level === "ERROR" ? [message] : [],
  );
}

function trimmed(files: Record<string, string | null>): Record<string, string | null> {
  return Object.fromEntries(Object.entries(files).map(([path, text]) => [path, text?.trimEnd() ?? null]));
}

async function texts(host: Host, paths: readonly string[]): Promise<Record<string, string | null>> {
  const found: Record<string, string | null> = {};
  for (const path of paths) {
    const file = await host.read(path);
    found[path] = file.type === "text" ? file.text : null;
  }
  return found;
}

/** Records programs that a plug-in runs while planning apart from those of the engine. */
function watched(plugin: Plugin, host: BenchHost, observed: string[]): Plugin {
  const observing = (observe: Observe): Observe => ({
    ...observe,
    host: {
      read: (path) => observe.host.read(path),
      list: (path) => observe.host.list(path),
      real: (path) => observe.host.real(path),
      run: async (argv, options) => {
        const result = await observe.host.run(argv, options);
        host.commands.splice(host.commands.lastIndexOf(argv.join(" ")), 1);
        observed.push(argv.join(" "));
        return result;
      },
    },
  });
  return {
    ...plugin,
    ...(plugin.devices
      ? { devices: (observe: Observe) => plugin.devices?.(observing(observe)) ?? Promise.resolve([]) }
      : {}),
    plan: (unit, observe, devices) => plugin.plan(unit, observing(observe), devices),
  };
}

/** The recorded profile, resolved on its node. */
export async function resolvedProfile({ input }: RecordedCase, host: BenchHost): Promise<ResolvedProfile> {
  const parsed = parseProfile(input.profile, `${profileFolder}/tuned.conf`);
  const uname = /^uname_string *= *(.*)$/m.exec(input.main_conf ?? "")?.[1] ?? "Linux node 6.12.0 #1 SMP x86_64";
  const answers = new Map<string, Answer>();
  for (let round = 0; round < 20; round++) {
    const resolution = resolve({ profile: "a", layers: [new Map([["a", parsed]])] }, answers);
    if (resolution.type === "resolved") return resolution.profile;
    if (resolution.type === "invalid") throw new Error(JSON.stringify(resolution.problems));
    for (const probe of resolution.probes) answers.set(probeKey(probe), await answer(probe, host, uname));
  }
  throw new Error("the same questions again and again");
}

async function answer(probe: Probe, host: BenchHost, uname: string): Promise<Answer> {
  if (probe.type === "list") return { type: "text", text: (await host.list(probe.path)).join("\n") };
  if (probe.type === "file") {
    const file = await host.read(probe.path);
    return file.type === "text" ? file : { type: "none" };
  }
  if (probe.argv[0] === "uname") return { type: "text", text: uname };
  const result = await host.run(probe.argv);
  return result.type === "exited" && result.code === 0 ? { type: "text", text: result.stdout } : { type: "none" };
}
