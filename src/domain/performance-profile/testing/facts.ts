import type { KubeObject } from "../../../language/object/meta.ts";
import { type PerformanceProfileSpec, performanceProfileKind } from "../api.ts";
import type { DerivationInput } from "../derivation.ts";
import { formatFinding } from "../../finding.ts";
import { readFacts } from "../read-facts.ts";

export interface Given {
  readonly name?: string;
  readonly annotations?: Record<string, string>;
}

/** A profile with the required fields and the given ones. */
export function profileOf(
  spec: PerformanceProfileSpec = {},
  { name = "cnf", annotations = {} }: Given = {},
): KubeObject {
  const { apiVersion, kind } = performanceProfileKind;
  return {
    apiVersion,
    kind,
    metadata: { name, annotations },
    spec: { nodeSelector: { "node-role.kubernetes.io/worker-cnf": "" }, cpu: leastCpus, ...spec },
  };
}

const leastCpus = { reserved: "0-3", isolated: "4-7" };

/** The input of derivations, in a cluster without special features. */
export function inputOf(
  spec?: PerformanceProfileSpec,
  { cluster = {}, ...given }: Given & { readonly cluster?: Partial<DerivationInput> } = {},
): DerivationInput {
  const read = readFacts(profileOf(spec, given));
  if (read.type === "unusable") throw new Error(read.findings.map(formatFinding).join("; "));
  return { facts: read.facts, partitioning: "None", mixedCpusAllowed: false, ...cluster };
}
