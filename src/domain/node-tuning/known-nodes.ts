import { type CpuSet, cpuSet, difference, formatRanges } from "../../language/cpu/cpu-set.ts";
import { coresOf, type CpuTopology } from "../../language/cpu/cpu-topology.ts";
import { parseTopology } from "../../language/cpu/topology-text.ts";
import { at } from "../../language/object/json.ts";
import type { KubeObject } from "../../language/object/meta.ts";
import { type Answer, type Answers, noAnswers, type Probe, probeKey } from "../../language/tuned/probe.ts";
import type { NodeAnswer } from "./api.ts";

/** What a node would answer to the probes of a profile, as far as the cluster knows. Equal nodes share one object. */
export type AnswersOf = (node: string) => Answers;

/** What the cluster knows of a node, of what profiles ask for. */
export interface NodeTraits {
  /** As `uname -r` prints it. */
  readonly kernelRelease?: string | undefined;
  /** As Kubernetes names it: `amd64`. */
  readonly architecture?: string | undefined;
  /** As /proc/cpuinfo names it: `GenuineIntel`. */
  readonly vendor?: string | undefined;
  /** Of its performance counters: `icelake`. */
  readonly pmuName?: string | undefined;
  /** CPUs that the machine has, online or offline. */
  readonly present?: CpuSet | undefined;
  readonly offline?: CpuSet | undefined;
  /** The socket of each CPU that was online. */
  readonly sockets?: readonly (readonly [cpu: number, socket: number])[] | undefined;
  /** What it answered to the profile in force. */
  readonly answers?: readonly NodeAnswer[] | undefined;
}

/** What the kubelet reports in the Node, and the agent in the Profile. */
export function traitsOf(
  nodes: readonly KubeObject[],
  profiles: readonly KubeObject[],
): ReadonlyMap<string, NodeTraits> {
  const reports = new Map(profiles.map((profile) => [profile.metadata.name, profile]));
  return new Map(
    nodes.map((node) => {
      const report = reports.get(node.metadata.name);
      const hardware = at(report, "status", "hardware");
      const topology = parseTopology(hardware);
      return [
        node.metadata.name ?? "",
        {
          kernelRelease: text(at(node, "status", "nodeInfo", "kernelVersion")),
          architecture: text(at(node, "status", "nodeInfo", "architecture")),
          vendor: text(at(hardware, "vendor")),
          pmuName: text(at(hardware, "pmuName")),
          present: topology && presentCpus(topology),
          offline: topology?.offline,
          sockets:
            topology && coresOf(topology).flatMap(({ cpus, socket }) => cpus.map((cpu) => [cpu, socket] as const)),
          answers: at(report, "status", "answers") as NodeAnswer[] | undefined,
        },
      ];
    }),
  );
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function presentCpus(topology: CpuTopology): readonly number[] {
  return cpuSet([...coresOf(topology).flatMap(({ cpus }) => cpus), ...topology.offline]);
}

/** Nodes with equal traits share one object, so that a profile is resolved once for all of them. */
export function answersOf(traits: (node: string) => NodeTraits | undefined): AnswersOf {
  const shared = new Map<string, Answers>();
  return (node) => {
    const of = traits(node);
    if (!of) return noAnswers;
    const key = JSON.stringify(of);
    const answers = shared.get(key) ?? knownAnswers(of);
    shared.set(key, answers);
    return answers;
  };
}

const cpuFolder = "/sys/devices/system/cpu";
const machines: Readonly<Record<string, string>> = { amd64: "x86_64", arm64: "aarch64" };

/** What the node would answer to probes. What the cluster does not know is left out. */
export function knownAnswers(traits: NodeTraits): Answers {
  const { kernelRelease, architecture, vendor, pmuName, present, offline = [], sockets } = traits;
  const answers = new Map<string, Answer>(
    (traits.answers ?? []).map(({ probe, text: said }) => [
      probe,
      said === undefined ? { type: "none" } : { type: "text", text: said },
    ]),
  );
  const add = (probe: Probe, text: string) => answers.set(probeKey(probe), { type: "text", text: `${text}\n` });
  if (kernelRelease) add({ type: "exec", argv: ["uname", "-r"] }, kernelRelease);
  const machine = architecture === undefined ? undefined : machines[architecture];
  // Profiles recognise Arm by the machine and x86 by the vendor: without it, the answer would be incomplete.
  if (machine && (vendor !== undefined || architecture === "arm64"))
    add({ type: "exec", argv: ["lscpu"] }, `Architecture: ${machine}${vendor ? `\nVendor ID: ${vendor}` : ""}`);
  if (pmuName) add({ type: "file", path: "/sys/devices/cpu/caps/pmu_name" }, pmuName);
  if (present) {
    add({ type: "list", path: cpuFolder }, present.map((cpu) => `cpu${cpu}`).join("\n"));
    add({ type: "file", path: `${cpuFolder}/present` }, formatRanges(present));
    add({ type: "file", path: `${cpuFolder}/online` }, formatRanges(difference(present, offline)));
    const socketOf = new Map(sockets);
    for (const cpu of present) {
      const probe: Probe = { type: "file", path: `${cpuFolder}/cpu${cpu}/topology/physical_package_id` };
      const socket = socketOf.get(cpu);
      if (offline.includes(cpu)) answers.set(probeKey(probe), { type: "none" });
      else if (socket !== undefined) add(probe, String(socket));
    }
  }
  return answers;
}
