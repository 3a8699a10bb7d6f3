import type { KubeObject } from "../../../language/object/meta.ts";
import { writeYaml } from "../../../language/object/write-yaml.ts";
import type { PerformanceProfile } from "../api.ts";

/** Comments that follow a new profile. */
export interface Remarks {
  readonly coreIdsDiffer: boolean;
  readonly explainHardwareTuning: boolean;
}

/** One YAML document, followed by remarks as comments. `hosted`: in a ConfigMap, as hosted clusters expect it. */
export function profileDocument(profile: PerformanceProfile, remarks: Remarks, hosted: boolean): string {
  const object = hosted ? enveloped(profile) : profile;
  return `---\n${writeYaml(object)}${remarksOf(remarks)}`;
}

/** The ConfigMap that a NodePool refers to. */
function enveloped(profile: PerformanceProfile): KubeObject {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: profile.metadata.name, namespace: "clusters" },
    data: { tuning: writeYaml(profile) },
  };
}

function remarksOf({ coreIdsDiffer, explainHardwareTuning }: Remarks): string {
  return [...(coreIdsDiffer ? coreIdRemark : []), ...(explainHardwareTuning ? hardwareTuningRemark : [])]
    .map((line) => `#${line === "" ? "" : ` ${line}`}\n`)
    .join("");
}

const coreIdRemark = [
  "Some nodes of this pool number their cores differently. Their CPUs have the same numbers and the same siblings, so one",
  "profile serves all of them. Check programs that use core ids on each node.",
];

const hardwareTuningRemark = [
  "Frequencies of CPUs can be limited, in kHz. Take values that the processors of all nodes allow, set both, and move this",
  "into spec:",
  "",
  "hardwareTuning:",
  "  isolatedCpuFreq: <kHz>",
  "  reservedCpuFreq: <kHz>",
];
