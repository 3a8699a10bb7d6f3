import { invalid } from "../../../language/schema/field-error.ts";
import { advice, type Check } from "./check.ts";
import type { Surrounded } from "./judged.ts";

export const realTimeHintOff: Check = {
  name: "RealTimeHintOff",
  severity: "error",
  faults: ({ spec }) =>
    spec.realTimeKernel?.enabled && spec.workloadHints?.realTime === false
      ? [
          invalid(
            "spec.workloadHints.realTime",
            false,
            "the real-time kernel needs it: leave it out, or do without realTimeKernel",
          ),
        ]
      : [],
};

export const sharedCpusMissing: Check = {
  name: "SharedCpusMissing",
  severity: "error",
  faults: ({ spec }) =>
    spec.workloadHints?.mixedCpus && !spec.cpu?.shared
      ? [invalid("spec.workloadHints.mixedCpus", true, "needs CPUs to share: name them in spec.cpu.shared")]
      : [],
};

export const mixedCpusNotAllowed: Check<Surrounded> = {
  name: "MixedCpusNotAllowed",
  severity: "warning",
  faults: ({ spec, surroundings }) =>
    spec.workloadHints?.mixedCpus && !surroundings.mixedCpusAllowed
      ? [
          advice(
            "spec.workloadHints.mixedCpus",
            "has no effect: the feature gate MixedCPUsAllocation of the cluster is off",
          ),
        ]
      : [],
};

export const topologyPolicyIgnored: Check = {
  name: "TopologyPolicyIgnored",
  severity: "warning",
  faults: ({ dra, spec: { numa } }) =>
    dra && numa?.topologyPolicy !== undefined && numa.topologyPolicy !== "none"
      ? [
          advice(
            "spec.numa.topologyPolicy",
            "has no effect: the annotation dra-resource-management turns the kubelet's managers off",
          ),
        ]
      : [],
};
