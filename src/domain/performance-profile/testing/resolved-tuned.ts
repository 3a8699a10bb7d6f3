import type { Tuned } from "../../node-tuning/api.ts";
import { parseProfile } from "../../../language/tuned/text/parse-profile.ts";
import { type Answer, type Probe, probeKey } from "../../../language/tuned/probe.ts";
import { baseVariableFiles } from "../../../language/tuned/profiles/base-files.ts";
import { baseProfiles } from "../../../language/tuned/profiles/base-profiles.ts";
import { resolve, type ResolvedProfile } from "../../../language/tuned/resolve.ts";

/** A node, with the answers that profiles ask for. */
export interface AskedNode {
  /** What `lscpu` prints. */
  readonly lscpu: string;
  /** `uname -r` */
  readonly kernel: string;
  readonly cpus: number;
  /** A list of CPUs. Default: all. */
  readonly online?: string;
  /** The kernel's name of an Intel processor. Default: one that is newer than Skylake. */
  readonly pmu?: string;
}

const x86 = "Architecture:          x86_64\nVendor ID:             ";
export const processors = {
  intel: `${x86}GenuineIntel\n`,
  amd: `${x86}AuthenticAMD\n`,
  arm: "Architecture:          aarch64\nVendor ID:             ARM\n",
};

/** A Tuned resolved on a node, together with the profiles that every node has. */
export function resolvedOn(tuned: Tuned, node: AskedNode): ResolvedProfile {
  const texts = tuned.spec?.profile ?? [];
  const own = new Map(texts.map(({ name, data }) => [name, parseProfile(data, `/etc/tuned/${name}/tuned.conf`)]));
  const answers = new Map<string, Answer>();
  for (;;) {
    const profile = tuned.spec?.recommend?.[0]?.profile ?? "";
    const resolution = resolve({ profile, layers: [baseProfiles(), own], files: baseVariableFiles() }, answers);
    if (resolution.type === "resolved") return resolution.profile;
    if (resolution.type === "invalid") throw new Error(JSON.stringify(resolution.problems));
    for (const probe of resolution.probes) answers.set(probeKey(probe), answer(probe, node));
  }
}

function answer(
  probe: Probe,
  { lscpu, kernel, cpus, online = `0-${cpus - 1}`, pmu = "sapphire_rapids" }: AskedNode,
): Answer {
  const all = Array.from({ length: cpus }, (_, cpu) => cpu);
  const known: Record<string, string> = {
    "list /sys/devices/system/cpu": all.map((cpu) => `cpu${cpu}`).join("\n"),
    "file /sys/devices/system/cpu/online": `${online}\n`,
    "file /sys/devices/system/cpu/present": `0-${cpus - 1}\n`,
    "file /sys/devices/cpu/caps/pmu_name": `${pmu}\n`,
    "exec lscpu": lscpu,
    "exec uname -r": `${kernel}\n`,
    "exec uname -snrvm": `Linux node ${kernel} #1 SMP x86_64\n`,
    "exec virt-what": "",
  };
  const text = known[`${probe.type} ${probe.type === "exec" ? probe.argv.join(" ") : probe.path}`];
  return text === undefined ? { type: "none" } : { type: "text", text };
}
