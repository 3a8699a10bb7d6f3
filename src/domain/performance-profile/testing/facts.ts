import type { KubeObject } from "../../../language/object/meta.ts";
import { type PerformanceProfileSpec, performanceProfileKind } from "../api.ts";
import type { DerivationInput } from "../derivation.ts";
import { formatFinding } from "../../finding.ts";
import { readFacts } from "../read-facts.ts";

export interface Said {
  readonly name?: string;
  readonly annotations?: Record<string, string>;
}

/** A profile that says what it must, and what is given. */
export function profileOf(
  spec: PerformanceProfileSpec = {},
  { name = "cnf", annotations = {} }: Said = {},
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

/** What objects are derived from, on a cluster that has nothing special about it. */
export function inputOf(
  spec?: PerformanceProfileSpec,
  { cluster = {}, ...said }: Said & { readonly cluster?: Partial<DerivationInput> } = {},
): DerivationInput {
  const read = readFacts(profileOf(spec, said));
  if (read.type === "unusable") throw new Error(read.findings.map(formatFinding).join("; "));
  return { facts: read.facts, partitioning: "None", mixedCpusAllowed: false, ...cluster };
}
