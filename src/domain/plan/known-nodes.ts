import { type CpuSet, cpuSet, difference, formatRanges } from "../../language/cpu/cpu-set.ts";
import { coresOf, type CpuTopology } from "../../language/cpu/cpu-topology.ts";
import { parseTopology } from "../../language/cpu/topology-text.ts";
import { at } from "../../language/object/json.ts";
import type { KubeObject } from "../../language/object/meta.ts";
import { type Answer, type Answers, noAnswers, type Probe, probeKey } from "../../language/tuned/probe.ts";
import type { ProfileFacts } from "../performance-profile/profile-facts.ts";
import type { AnswersOf } from "./settle.ts";

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
}

/** What the kubelet reports in the Node, and the agent in the Profile. */
export function traitsOf(
  nodes: readonly KubeObject[],
  profiles: readonly KubeObject[],
): ReadonlyMap<string, NodeTraits> {
  const reports = new Map(profiles.map((profile) => [profile.metadata.name, at(profile, "status", "hardware")]));
  return new Map(
    nodes.map((node) => {
      const hardware = reports.get(node.metadata.name);
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

/** The node once it has restarted with a PerformanceProfile. */
export function afterRestart(traits: NodeTraits, { kernelType, cpus }: ProfileFacts): NodeTraits {
  const { kernelRelease } = traits;
  return {
    ...traits,
    kernelRelease: kernelRelease && kernelOf(kernelRelease, kernelType),
    offline: cpus.offlined?.cpus ?? traits.offline,
  };
}

/** Releases of real-time kernels contain `rt`, and profiles ask for nothing else in them. */
function kernelOf(release: string, type: ProfileFacts["kernelType"]): string {
  if (type === "realtime") return release.includes("rt") ? release : `${release}+rt`;
  return release.replaceAll(/[+.]rt[0-9.]*(?![a-z])/g, "");
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

const machines: Readonly<Record<string, string>> = { amd64: "x86_64", arm64: "aarch64" };

/** What the node would answer to probes. What the cluster does not know is left out. */
export function knownAnswers(traits: NodeTraits): Answers {
  const { kernelRelease, architecture, vendor, pmuName, present, offline = [] } = traits;
  const answers = new Map<string, Answer>();
  const add = (probe: Probe, text: string) => answers.set(probeKey(probe), { type: "text", text: `${text}\n` });
  if (kernelRelease) add({ type: "exec", argv: ["uname", "-r"] }, kernelRelease);
  const machine = architecture === undefined ? undefined : machines[architecture];
  // Profiles recognise Arm by the machine and x86 by the vendor: without it, the answer would be incomplete.
  if (machine && (vendor !== undefined || architecture === "arm64"))
    add({ type: "exec", argv: ["lscpu"] }, `Architecture: ${machine}${vendor ? `\nVendor ID: ${vendor}` : ""}`);
  if (pmuName) add({ type: "file", path: "/sys/devices/cpu/caps/pmu_name" }, pmuName);
  if (present) {
    add({ type: "file", path: "/sys/devices/system/cpu/present" }, formatRanges(present));
    add({ type: "file", path: "/sys/devices/system/cpu/online" }, formatRanges(difference(present, offline)));
  }
  return answers;
}
