import { createInterface } from "node:readline";
import type { Engine } from "../../src/engine/engine.ts";
import { nativeEngine } from "../../src/engine/native-engine.ts";
import { launchAt } from "../../src/engine/tuned-daemon/launch.ts";
import { TunedEngine } from "../../src/engine/tuned-daemon/tuned-engine.ts";
import { LinuxHost } from "../../src/host/linux-host.ts";
import { answerProbes } from "../../src/on-node/answer-probes.ts";
import { systemClock } from "../../src/runtime/clock.ts";
import { parseProfile } from "../../src/tuned/parse-profile.ts";
import type { Answer } from "../../src/tuned/probe.ts";
import { type ResolvedProfile, resolve } from "../../src/tuned/resolve.ts";

/** What a test asks an engine on a machine to do: one request to a line, one answer to a line. */
export type Request =
  | ({ readonly do: "apply" | "verify" } & Wanted)
  | ({ readonly do: "resolve" } & Omit<Wanted, "engine">)
  | { readonly do: "rollback"; readonly engine: "native" | "tuned" }
  | { readonly do: "status" };

export interface Wanted {
  readonly engine: "native" | "tuned";
  readonly profile: string;
  /** Texts of profiles, by name. */
  readonly texts?: Readonly<Record<string, string>>;
  /** Folders of profiles on the machine besides. */
  readonly directories?: readonly string[];
}

const host = new LinuxHost("/");
const tuned = new TunedEngine({
  launch: launchAt("/"),
  timer: systemClock,
  signal: new AbortController().signal,
  applyTimeoutMs: 3000,
  restartMs: 50,
});
const engines: Record<"native" | "tuned", Engine> = { native: nativeEngine(), tuned };

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
  }
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
