import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Engine } from "../../src/node/engine/engine.ts";
import { nativeEngine } from "../../src/node/engine/native-engine.ts";
import { launchAt } from "../../src/node/engine/tuned-daemon/launch.ts";
import { daemonArgv, Supervisor } from "../../src/node/engine/tuned-daemon/supervisor.ts";
import { TunedEngine } from "../../src/node/engine/tuned-daemon/tuned-engine.ts";
import type { PerftuneOptions } from "../../src/domain/scylla/perftune/option/perftune-options.ts";
import { runPerftune } from "../../src/node/perftune/run-perftune.ts";
import { undoPerftune } from "../../src/node/perftune/undo-perftune.ts";
import { LinuxHost } from "../../src/node/host/linux-host.ts";
import { answerProbes } from "../../src/node/on-node/answer-probes.ts";
import { systemClock } from "../../src/cluster/runtime/clock.ts";
import { parseProfile } from "../../src/language/tuned/text/parse-profile.ts";
import type { Answer } from "../../src/language/tuned/probe.ts";
import { type ResolvedProfile, resolve } from "../../src/language/tuned/resolve.ts";

/** A test's request to an engine on a machine: one request per line, one answer per line. */
export type Request =
  | ({ readonly do: "apply" | "verify" } & Wanted)
  | ({ readonly do: "resolve" } & Omit<Wanted, "engine">)
  | { readonly do: "rollback"; readonly engine: EngineName }
  | { readonly do: "status" }
  /** Tunes the network of the machine as the user of `attune perftune` would, or takes that back. */
  | { readonly do: "perftune"; readonly nic: string }
  | { readonly do: "undo-perftune" }
  /** Remembers every file below these folders; links are not followed. */
  | { readonly do: "remember"; readonly folders: readonly string[] }
  /** Files that have changed since, ignoring blanks: new texts by path, `null` for removed files. */
  | { readonly do: "changes" }
  | { readonly do: "reset" };

const networkAlone: PerftuneOptions = {
  tune: ["net"],
  mode: "mq",
  nics: [],
  directories: [],
  devices: [],
  coresPerIrqCore: 16,
  tcpMemFraction: 0.03,
  tuneClock: false,
};

/** `plain`: TuneD alone, with the profiles as they are written. */
export type EngineName = "native" | "tuned" | "plain";

export interface Wanted {
  readonly engine: EngineName;
  readonly profile: string;
  /** Texts of profiles, by name. */
  readonly texts?: Readonly<Record<string, string>>;
  /** Further folders of profiles on the machine. */
  readonly directories?: readonly string[];
}

const host = new LinuxHost("/");
/** Devices may be simulated: udev's library must accept a sysfs that is not real. */
const environment = ["env", "SYSTEMD_DEVICE_VERIFY_SYSFS=0"];
const supervised = { launch: launchAt("/"), timer: systemClock, signal: new AbortController().signal };
const tuned = new TunedEngine({
  ...supervised,
  argv: [...environment, ...daemonArgv],
  applyTimeoutMs: Number(process.argv[2]),
  restartMs: 50,
});
const engines: Record<EngineName, Engine> = { native: nativeEngine(), tuned, plain: plainTuned() };

const remembered = { folders: [] as readonly string[], files: new Map<string, string>() };

console.log(process.pid);
for await (const line of createInterface({ input: process.stdin })) {
  const answer = await act(JSON.parse(line) as Request).then(
    (result) => ({ result }),
    (error: Error) => ({ error: error.message }),
  );
  console.log(JSON.stringify(answer));
}

async function act(request: Request): Promise<unknown> {
  switch (request.do) {
    case "apply":
      return engines[request.engine].apply(await resolved(request), host, options(request));
    case "verify":
      return engines[request.engine].verify(await resolved(request), host, options(request));
    case "resolve":
      return resolved(request);
    case "rollback":
      return engines[request.engine].rollback(host);
    case "status":
      return tuned.status();
    case "perftune":
      return runPerftune(host, { ...networkAlone, nics: [request.nic] });
    case "undo-perftune":
      return undoPerftune(host);
    case "remember":
      return remember(request.folders);
    case "changes":
      return changes();
    case "reset":
      return reset();
  }
}

function plainTuned(): Engine {
  let supervisor: Supervisor | undefined;
  return {
    name: "tuned",
    async apply({ profile }) {
      const argv = [...environment, "tuned", "--no-dbus", "--no-socket", "-p", profile];
      supervisor = new Supervisor({ ...supervised, argv });
      const { type, message, round } = await supervisor.start(profile);
      if (type !== "applied") throw new Error(message);
      const about = { unit: "TuneD", option: "", from: "" };
      const settings = round.errors.map((record) => ({ ...about, type: "failed" as const, message: record.message }));
      return { settings, restored: [] };
    },
    verify: () => Promise.resolve({ differences: [] }),
    async rollback() {
      await supervisor?.stop("undo");
      return { restored: [] };
    },
  };
}

async function remember(folders: readonly string[]): Promise<void> {
  remembered.folders = folders;
  remembered.files = await filesIn(folders);
}

async function changes(): Promise<Record<string, string | null>> {
  const now = await filesIn(remembered.folders);
  const paths = new Set([...now.keys(), ...remembered.files.keys()]);
  return Object.fromEntries(
    [...paths]
      .filter((path) => words(now.get(path)) !== words(remembered.files.get(path)))
      .map((path) => [path, now.get(path) ?? null]),
  );
}

function words(text: string | undefined): string | undefined {
  return text?.trim().replaceAll(/\s+/g, " ");
}

async function reset(): Promise<void> {
  for (const path of Object.keys(await changes())) {
    const text = remembered.files.get(path);
    if (text === undefined) await rm(path);
    else await writeFile(path, text);
  }
}

async function filesIn(folders: readonly string[]): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  for (const folder of folders) {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const path = join(entry.parentPath, entry.name);
      if (entry.isFile()) files.set(path, await readFile(path, "utf8"));
    }
  }
  return files;
}

function options({ directories }: Omit<Wanted, "engine">): { profileDirectories?: readonly string[] } {
  return directories ? { profileDirectories: directories } : {};
}

async function resolved({ profile, texts = {}, directories = [] }: Omit<Wanted, "engine">): Promise<ResolvedProfile> {
  const written = new Map(
    Object.entries(texts).map(([name, text]) => [name, parseProfile(text, `${name}/tuned.conf`)]),
  );
  const layers = [...(await Promise.all(directories.map(profilesIn))), written];
  const answers = new Map<string, Answer>();
  for (;;) {
    const resolution = resolve({ profile, layers }, answers);
    if (resolution.type === "resolved") return resolution.profile;
    if (resolution.type === "invalid") throw new Error(JSON.stringify(resolution.problems));
    for (const [key, answer] of await answerProbes(resolution.probes, host)) answers.set(key, answer);
  }
}

async function profilesIn(directory: string): Promise<Map<string, ReturnType<typeof parseProfile>>> {
  const profiles = new Map<string, ReturnType<typeof parseProfile>>();
  for (const name of await host.list(directory)) {
    const file = await host.read(`${directory}/${name}/tuned.conf`);
    if (file.type === "text") profiles.set(name, parseProfile(file.text, `${directory}/${name}/tuned.conf`));
  }
  return profiles;
}
