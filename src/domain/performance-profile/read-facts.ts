import type { KubeObject } from "../../language/object/meta.ts";
import { forbidden, invalid, notSupported, required } from "../../language/schema/field-error.ts";
import { index } from "../../language/schema/path.ts";
import type { PerformanceProfileSpec } from "./api.ts";
import { bounded } from "./findings/check.ts";
import { error, type FieldFinding } from "../finding.ts";
import { type ProfileFacts, topologyPolicies, type TopologyPolicy } from "./profile-facts.ts";
import { readAnnotations } from "./read/read-annotations.ts";
import { readCpuPools } from "./read/read-cpu-pools.ts";
import { readHugepages } from "./read/read-hugepages.ts";
import { readDevices } from "./read/read-net.ts";
import { readSelectors } from "./read/read-selectors.ts";
import { readShape, type Report } from "./read/read-shape.ts";

export type ReadFacts =
  | { readonly type: "facts"; readonly facts: ProfileFacts }
  /** Errors: nothing can be derived from the profile. */
  | { readonly type: "unusable"; readonly findings: readonly FieldFinding[] };

/** Reads a profile of the newest version. Never throws, whatever the profile contains. */
export function readFacts(profile: KubeObject): ReadFacts {
  const findings: FieldFinding[] = [];
  const report: Report = (name, fault) => findings.push(error(name, fault));
  const shaped = readShape(profile, report);
  if (!shaped) return { type: "unusable", findings: bounded(findings) };
  const { name, annotations, spec } = shaped;
  const cpus = readCpuPools(spec.cpu ?? {}, report);
  const frequencies = readFrequencies(spec.hardwareTuning, report);
  const facts = {
    name,
    ...readSelectors(spec, report),
    balanceIsolated: spec.cpu?.balanceIsolated ?? true,
    ...(frequencies ? { frequencies } : {}),
    hugepages: readHugepages(spec.hugepages ?? {}, report),
    kernelType: readKernelType(spec, report),
    additionalKernelArgs: readKernelArguments(spec.additionalKernelArgs ?? [], report),
    topologyPolicy: readTopologyPolicy(spec.numa?.topologyPolicy, report),
    ...readNet(spec, report),
    irqsBanned: spec.globallyDisableIrqLoadBalancing ?? false,
    hints: readHints(spec.workloadHints ?? {}, report),
    ...readAnnotations(annotations, report),
  };
  return cpus && findings.length === 0
    ? { type: "facts", facts: { ...facts, cpus } }
    : { type: "unusable", findings: bounded(findings) };
}

function readFrequencies(
  tuning: PerformanceProfileSpec["hardwareTuning"],
  report: Report,
): ProfileFacts["frequencies"] {
  if (!tuning) return undefined;
  const { isolatedCpuFreq: isolated, reservedCpuFreq: reserved } = tuning;
  for (const [name, kiloHertz] of Object.entries({ isolatedCpuFreq: isolated, reservedCpuFreq: reserved })) {
    const field = `spec.hardwareTuning.${name}`;
    if (kiloHertz === undefined) report("FrequencyMissing", required(field, "both frequencies are needed, in kHz"));
    else if (kiloHertz <= 0) report("FrequencyNotPositive", invalid(field, kiloHertz, "must be a frequency in kHz"));
  }
  return isolated === undefined || reserved === undefined ? undefined : { isolated, reserved };
}

/** The real-time kernel has one page size only, so it overrides kernelPageSize. */
function readKernelType(
  { realTimeKernel, kernelPageSize }: PerformanceProfileSpec,
  report: Report,
): ProfileFacts["kernelType"] {
  if (kernelPageSize !== undefined && kernelPageSize !== "4k" && kernelPageSize !== "64k")
    report("KernelPageSizeUnknown", notSupported("spec.kernelPageSize", kernelPageSize, ["4k", "64k"]));
  if (realTimeKernel?.enabled) return "realtime";
  return kernelPageSize === "64k" ? "64k-pages" : "default";
}

/** All of them become one line of a TuneD profile. */
function readKernelArguments(words: readonly string[], report: Report): readonly string[] {
  for (const [position, word] of words.entries())
    if (hasControlCharacter(word))
      report(
        "KernelArgumentMalformed",
        invalid(
          index("spec.additionalKernelArgs", position),
          word,
          "must not contain line breaks or other control characters",
        ),
      );
    else if (/(^|\s)#/.test(word))
      report(
        "KernelArgumentMalformed",
        invalid(index("spec.additionalKernelArgs", position), word, "must not begin with #, which begins a comment"),
      );
  return words;
}

function hasControlCharacter(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x20 || code === 0x7f || code === 0x2028 || code === 0x2029) return true;
  }
  return false;
}

function readTopologyPolicy(policy: string | undefined, report: Report): TopologyPolicy {
  const known = topologyPolicies.find((one) => one === (policy ?? "best-effort"));
  if (!known) report("TopologyPolicyUnknown", notSupported("spec.numa.topologyPolicy", policy, topologyPolicies));
  return known ?? "best-effort";
}

function readNet({ net }: PerformanceProfileSpec, report: Report): Pick<ProfileFacts, "userLevelNetworking"> {
  const devices = readDevices(net?.devices ?? [], report);
  return net?.userLevelNetworking ? { userLevelNetworking: { devices } } : {};
}

function readHints(hints: NonNullable<PerformanceProfileSpec["workloadHints"]>, report: Report): ProfileFacts["hints"] {
  const { realTime = true, highPowerConsumption = false, perPodPowerManagement = false, mixedCpus = false } = hints;
  if (highPowerConsumption && perPodPowerManagement)
    report(
      "PowerHintsConflict",
      forbidden(
        "spec.workloadHints",
        "highPowerConsumption and perPodPowerManagement exclude each other: set one of them",
      ),
    );
  return { realTime, highPowerConsumption, perPodPowerManagement, mixedCpus };
}
