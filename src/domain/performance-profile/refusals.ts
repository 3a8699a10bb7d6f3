import { at } from "../../language/object/json.ts";
import { type FieldError, forbidden, invalid, required } from "../../language/schema/field-error.ts";
import { child } from "../../language/schema/path.ts";
import { type DerivationInput, mixesCpus } from "./derivation.ts";
import { error, type FieldFinding } from "../finding.ts";
import { poolLabels } from "./kubelet-config/kubelet-config.ts";
import { kubeletFieldsPath } from "./kubelet-config/kubelet-fields.ts";
import { alignsMemory, unknownAmounts } from "./kubelet-config/reserved-memory.ts";

/** Why nothing is derived from a valid profile: its fields contradict each other or the cluster. */
export function refusals(input: DerivationInput): readonly FieldFinding[] {
  return checks.flatMap(([name, check]) => check(input).map((fault) => error(name, fault)));
}

const checks: readonly (readonly [name: string, check: (input: DerivationInput) => readonly FieldError[]])[] = [
  ["MixedCpusWithDra", mixedCpusWithDra],
  ["MemoryNotSummable", memoryNotSummable],
  ["OvsDpdkUnprotected", ovsDpdkUnprotected],
  ["PoolNotSelectable", poolNotSelectable],
];

function mixedCpusWithDra(input: DerivationInput): readonly FieldError[] {
  if (!input.facts.dra || !mixesCpus(input)) return [];
  return [
    forbidden(
      "spec.workloadHints.mixedCpus",
      "the kubelet allocates shared CPUs, and the annotation for dynamic resource allocation turns that off",
    ),
  ];
}

function memoryNotSummable({ facts }: DerivationInput): readonly FieldError[] {
  if (facts.dra || !alignsMemory(facts)) return [];
  return unknownAmounts(facts.kubelet).map(({ path, value }) =>
    invalid(
      child(kubeletFieldsPath, path),
      value,
      `with topology policy ${facts.topologyPolicy} the sum of reserved memory must be known: write an amount such as 100Mi, or give reservedMemory`,
    ),
  );
}

/** Pods without exclusive CPUs run on reserved ones too, unless partitioning or the kubelet prevents it. */
function ovsDpdkUnprotected({ facts, partitioning }: DerivationInput): readonly FieldError[] {
  if ((facts.cpus.ovsDpdk?.cpus.length ?? 0) === 0 || partitioning === "AllNodes") return [];
  const strict = at(facts.kubelet, "cpuManagerPolicyOptions", "strict-cpu-reservation") === "true";
  if (strict && !facts.dra) return [];
  return [
    forbidden(
      "spec.cpu.ovsDpdk",
      "needs a cluster with workload partitioning, or the kubelet option strict-cpu-reservation: otherwise pods run on these CPUs too",
    ),
  ];
}

/** A selector without labels would select no pool, or all. */
function poolNotSelectable(input: DerivationInput): readonly FieldError[] {
  if (Object.keys(poolLabels(input)).length > 0) return [];
  const why = input.pool ? `pool ${input.pool.metadata.name} has no labels` : "no pool is known";
  return [required("spec.machineConfigPoolSelector", `${why} to select it by`)];
}
