import { at } from "../../language/object/json.ts";
import { type FieldError, forbidden, invalid, required } from "../../language/schema/field-error.ts";
import { child } from "../../language/schema/path.ts";
import { type DerivationInput, mixesCpus } from "./derivation.ts";
import { error, type FieldFinding } from "../finding.ts";
import { poolLabels } from "./kubelet-config/kubelet-config.ts";
import { kubeletFieldsPath } from "./kubelet-config/kubelet-fields.ts";
import { alignsMemory, unknownAmounts } from "./kubelet-config/reserved-memory.ts";

/** Why nothing is derived from a profile that can be read: each part makes sense, but not together with the rest. */
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
      "shared CPUs are given out by the kubelet, and the annotation for dynamic resource allocation takes that from it",
    ),
  ];
}

function memoryNotSummable({ facts }: DerivationInput): readonly FieldError[] {
  if (facts.dra || !alignsMemory(facts)) return [];
  return unknownAmounts(facts.kubelet).map(({ path, value }) =>
    invalid(
      child(kubeletFieldsPath, path),
      value,
      `with topology policy ${facts.topologyPolicy} memory is added up: write an amount such as 100Mi, or give reservedMemory`,
    ),
  );
}

/** Pods without CPUs of their own run on reserved ones too, unless something keeps them off. */
function ovsDpdkUnprotected({ facts, partitioning }: DerivationInput): readonly FieldError[] {
  if ((facts.cpus.ovsDpdk?.cpus.length ?? 0) === 0 || partitioning === "AllNodes") return [];
  const strict = at(facts.kubelet, "cpuManagerPolicyOptions", "strict-cpu-reservation") === "true";
  if (strict && !facts.dra) return [];
  return [
    forbidden(
      "spec.cpu.ovsDpdk",
      "needs a cluster with workload partitioning, or the kubelet option strict-cpu-reservation: otherwise pods run there as well",
    ),
  ];
}

/** A selector without labels would be for no pool, or for all. */
function poolNotSelectable(input: DerivationInput): readonly FieldError[] {
  if (Object.keys(poolLabels(input)).length > 0) return [];
  const why = input.pool ? `pool ${input.pool.metadata.name} has no labels` : "no pool is known";
  return [required("spec.machineConfigPoolSelector", `${why} to tell it by`)];
}
