import { type CpuSet, difference, formatRanges } from "../../language/cpu/cpu-set.ts";
import { type Answer, type Answers, type Probe, probeKey } from "../../language/tuned/probe.ts";

/** What the cluster knows of a node, as far as profiles ask for it. */
export interface NodeTraits {
  /** As `uname -r` prints it. */
  readonly kernelRelease?: string;
  /** As Kubernetes names it: `amd64`. */
  readonly architecture?: string;
  /** As /proc/cpuinfo names it: `GenuineIntel`. */
  readonly vendor?: string;
  /** Of its counters. */
  readonly pmuName?: string;
  readonly present?: CpuSet;
  readonly offline?: CpuSet;
}

const machines: Readonly<Record<string, string>> = { amd64: "x86_64", arm64: "aarch64" };

/** What the node would answer if it were asked. What is not known stays open. */
export function knownAnswers(traits: NodeTraits): Answers {
  const { kernelRelease, architecture, vendor, pmuName, present, offline = [] } = traits;
  const answers = new Map<string, Answer>();
  const tell = (probe: Probe, text: string) => answers.set(probeKey(probe), { type: "text", text: `${text}\n` });
  if (kernelRelease) tell({ type: "exec", argv: ["uname", "-r"] }, kernelRelease);
  const machine = architecture === undefined ? undefined : machines[architecture];
  // Profiles tell Arm by the machine, x86 by the vendor: one without the other would be half an answer.
  if (machine && (vendor !== undefined || architecture === "arm64"))
    tell({ type: "exec", argv: ["lscpu"] }, `Architecture: ${machine}${vendor ? `\nVendor ID: ${vendor}` : ""}`);
  if (pmuName) tell({ type: "file", path: "/sys/devices/cpu/caps/pmu_name" }, pmuName);
  if (present) {
    tell({ type: "file", path: "/sys/devices/system/cpu/present" }, formatRanges(present));
    tell({ type: "file", path: "/sys/devices/system/cpu/online" }, formatRanges(difference(present, offline)));
  }
  return answers;
}
