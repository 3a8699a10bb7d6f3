import type { TunedPart } from "../names.ts";
import type { ProfileFacts } from "../profile-facts.ts";
import { formatProfile, type Option, when } from "./section.ts";

/** Texts of the parts that a node includes depending on its kernel and processor. All exist, since a pool may be mixed. */
export function processorParts(facts: ProfileFacts): Record<TunedPart, string> {
  return {
    rt: formatProfile([
      { name: "main", options: [["summary", "For real-time kernels"]] },
      {
        name: "sysctl",
        why: "Real-time kernels do not have these.",
        options: [["drop", "kernel.numa_balancing,net.core.busy_read,net.core.busy_poll"]],
      },
    ]),
    "amd-x86": booting("For processors of AMD", amd(facts)),
    "arm-aarch64": booting("For processors of Arm", []),
    "intel-x86": booting("For processors of Intel", intel(facts)),
  };
}

function booting(summary: string, options: readonly Option[]): string {
  const why =
    options.length > 0
      ? "Devices bypass translation, clocks are trusted, and CPUs rest and slow down only as the hints allow."
      : "Nothing of its own.";
  return formatProfile([
    { name: "main", options: [["summary", summary]] },
    { name: "bootloader", why, options },
  ]);
}

function amd(facts: ProfileFacts): readonly Option[] {
  const { realTime, highPowerConsumption } = facts.hints;
  return [
    ["cmdline_iommu_amd", "iommu=pt"],
    ["cmdline_pstate", `amd_pstate=${frequencyDriver(facts, "guided")}`],
    ...when(realTime, ["cmdline_realtime_amd", "tsc=reliable nmi_watchdog=0 mce=off"]),
    ...when(highPowerConsumption, ["cmdline_power_performance_amd", "processor.max_cstate=1"]),
    ...when(highPowerConsumption && realTime, ["cmdline_idle_poll_amd", "idle=poll"]),
  ];
}

function intel(facts: ProfileFacts): readonly Option[] {
  const { realTime, highPowerConsumption } = facts.hints;
  return [
    ["cmdline_iommu_intel", "intel_iommu=on iommu=pt"],
    ...when(
      realTime,
      ["cmdline_realtime_intel", "tsc=reliable"],
      ["cmdline_realtime_intel_nmi", "nmi_watchdog=0 mce=off"],
    ),
    ...when(highPowerConsumption, [
      "cmdline_power_performance_intel",
      "processor.max_cstate=1 intel_idle.max_cstate=0",
    ]),
    ...when(highPowerConsumption && realTime, ["cmdline_idle_poll_intel", "idle=poll"]),
    // Last, unlike AMD's: another order than that of the operator we replace would restart nodes that change over.
    ["cmdline_pstate", `intel_pstate=${frequencyDriver(facts, "${f:intel_recommended_pstate}")}`],
  ];
}

/** Pods can choose governors only with a passive driver; frequency limits need an active one. */
function frequencyDriver({ hints, frequencies }: ProfileFacts, otherwise: string): string {
  if (hints.perPodPowerManagement) return "passive";
  return frequencies ? "active" : otherwise;
}
