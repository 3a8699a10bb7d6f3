import type { KubeObject } from "../../language/object/meta.ts";
import { derivationIn } from "./derivation.ts";
import { bounded, type Check } from "./findings/check.ts";
import type { FieldFinding } from "../finding.ts";
import { annotationUnknown, annotationValueUnknown, annotationWithoutEffect } from "./findings/annotations.ts";
import { cpuDoesNotExist, cpuInNoPool, cpusExceedCount } from "./findings/cpu-coverage.ts";
import {
  cpuPoolsOverlap,
  cpuZeroIsolated,
  cpuZeroOfflined,
  frequencyUnlikely,
  sharedCpusUnused,
} from "./findings/cpu-pools.ts";
import { mixedCpusNotAllowed, realTimeHintOff, sharedCpusMissing, topologyPolicyIgnored } from "./findings/hints.ts";
import { hugepageSizeUnsupported, hugepagesRepeated } from "./findings/hugepages.ts";
import { judgedOf, surrounded, type Surrounded } from "./findings/judged.ts";
import { kernelArgumentDerived, kernelArgumentUnusual } from "./findings/kernel-arguments.ts";
import { kubeletFieldOverridden, kubeletFieldUnknown } from "./findings/kubelet.ts";
import {
  machineConfigNotSelected,
  poolAmbiguous,
  poolNotFound,
  poolNotSelected,
} from "./findings/machine-config-pool.ts";
import { nameClashes, nameTooLongForLabel } from "./findings/name.ts";
import { devicesIgnored, deviceUnidentified } from "./findings/net.ts";
import {
  hugepagesExceedMemory,
  hugepagesLeaveLittle,
  memoryDisagrees,
  numaNodeDoesNotExist,
} from "./findings/numa-memory.ts";
import { kernelPageSizeIgnored, kernelPageSizeUnsupported, realTimeKernelWith64kPages } from "./findings/page-sizes.ts";
import { foreignWorkloadsTable, reservedTooSmall } from "./findings/partitioning.ts";
import {
  architecturesDiffer,
  architectureUnknown,
  cpuCountsDiffer,
  noNodes,
  topologiesDiffer,
} from "./findings/pool-nodes.ts";
import { labelMalformed, nodeSelectorTaken, profilesMeet, selectorEmpty, severalLabels } from "./findings/selectors.ts";
import { coreIsSplit, cpuOffWithNosmt } from "./findings/siblings.ts";
import { unknownField } from "./findings/unknown-field.ts";
import { readFacts } from "./read-facts.ts";
import { refusals } from "./refusals.ts";
import type { Surroundings } from "./surroundings.ts";

/** Checks of the profile alone. */
export const checks: readonly Check[] = [
  nameTooLongForLabel,
  severalLabels,
  selectorEmpty,
  labelMalformed,
  cpuPoolsOverlap,
  cpuZeroOfflined,
  cpuZeroIsolated,
  sharedCpusMissing,
  sharedCpusUnused,
  kernelPageSizeUnsupported,
  realTimeKernelWith64kPages,
  kernelPageSizeIgnored,
  hugepageSizeUnsupported,
  hugepagesRepeated,
  realTimeHintOff,
  topologyPolicyIgnored,
  frequencyUnlikely,
  deviceUnidentified,
  devicesIgnored,
  kernelArgumentDerived,
  kernelArgumentUnusual,
  annotationUnknown,
  annotationValueUnknown,
  annotationWithoutEffect,
  kubeletFieldUnknown,
  kubeletFieldOverridden,
];

/** Checks of the profile against the cluster. */
export const clusterChecks: readonly Check<Surrounded>[] = [
  nameClashes,
  nodeSelectorTaken,
  profilesMeet,
  poolNotFound,
  poolAmbiguous,
  poolNotSelected,
  machineConfigNotSelected,
  noNodes,
  architectureUnknown,
  architecturesDiffer,
  cpuCountsDiffer,
  topologiesDiffer,
  cpuDoesNotExist,
  cpusExceedCount,
  cpuInNoPool,
  coreIsSplit,
  cpuOffWithNosmt,
  numaNodeDoesNotExist,
  hugepagesExceedMemory,
  hugepagesLeaveLittle,
  memoryDisagrees,
  mixedCpusNotAllowed,
  foreignWorkloadsTable,
  reservedTooSmall,
];

/**
 * All that is wrong with a profile, or that its author should know. Without surroundings, only the profile itself is checked.
 * Never throws, whatever the profile contains.
 */
export function findings(profile: KubeObject, surroundings?: Surroundings): readonly FieldFinding[] {
  const read = readFacts(profile);
  const judged = judgedOf(profile, surroundings);
  const inCluster = judged && surroundings && surrounded(judged, surroundings);
  const unreadable = read.type === "unusable" ? read.findings : [];
  const others = [
    ...findingsOf(unknownField, profile),
    ...(read.type === "facts"
      ? refusals(surroundings ? derivationIn(surroundings, read.facts) : { ...assumedCluster, facts: read.facts })
      : []),
    ...(judged ? checks.flatMap((check) => findingsOf(check, judged)) : []),
    ...(inCluster ? clusterChecks.flatMap((check) => findingsOf(check, inCluster)) : []),
  ];
  // A field that could not be read gets no further findings.
  const unreadableFields = new Set(unreadable.map(({ field }) => field));
  return bounded([...unreadable, ...others.filter(({ field }) => !unreadableFields.has(field))]);
}

/** Assumed without a cluster: it supports all that a profile may ask for. */
const assumedCluster = { partitioning: "AllNodes", mixedCpusAllowed: false } as const;

function findingsOf<Input>({ name, severity, faults }: Check<Input>, input: Input): FieldFinding[] {
  return faults(input).map((fault) => ({ severity, name, ...fault }));
}
