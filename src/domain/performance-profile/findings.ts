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
import { hugepagesExceedMemory, hugepagesLeaveLittle, numaNodeDoesNotExist } from "./findings/numa-memory.ts";
import { kernelPageSizeIgnored, kernelPageSizeUnsupported, realTimeKernelWith64kPages } from "./findings/page-sizes.ts";
import { foreignWorkloadsTable } from "./findings/partitioning.ts";
import {
  architecturesDiffer,
  architectureUnknown,
  cpuCountsDiffer,
  noNodes,
  topologiesDiffer,
} from "./findings/pool-nodes.ts";
import { labelMalformed, nodeSelectorTaken, selectorEmpty, severalLabels } from "./findings/selectors.ts";
import { coreIsSplit, cpuOffWithNosmt } from "./findings/siblings.ts";
import { unknownField } from "./findings/unknown-field.ts";
import { readFacts } from "./read-facts.ts";
import { refusals } from "./refusals.ts";
import type { Surroundings } from "./surroundings.ts";

/** What a profile itself says. */
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

/** How it suits the cluster that it meets. */
export const clusterChecks: readonly Check<Surrounded>[] = [
  nameClashes,
  nodeSelectorTaken,
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
  mixedCpusNotAllowed,
  foreignWorkloadsTable,
];

/**
 * All that is wrong with a profile, or that its author would want to know. Without surroundings no cluster is asked, and
 * only what the profile itself says is judged. Never throws, whatever it is given.
 */
export function findings(profile: KubeObject, surroundings?: Surroundings): readonly FieldFinding[] {
  const read = readFacts(profile);
  const judged = judgedOf(profile, surroundings);
  const inCluster = judged && surroundings && surrounded(judged, surroundings);
  const unreadable = read.type === "unusable" ? read.findings : [];
  const others = [
    ...told(unknownField, profile),
    ...(read.type === "facts"
      ? refusals(surroundings ? derivationIn(surroundings, read.facts) : { ...willingCluster, facts: read.facts })
      : []),
    ...(judged ? checks.flatMap((check) => told(check, judged)) : []),
    ...(inCluster ? clusterChecks.flatMap((check) => told(check, inCluster)) : []),
  ];
  // What makes no sense is not judged a second time.
  const senseless = new Set(unreadable.map(({ field }) => field));
  return bounded([...unreadable, ...others.filter(({ field }) => !senseless.has(field))]);
}

/** A cluster that has all a profile could ask for, where none is known. */
const willingCluster = { partitioning: "AllNodes", mixedCpusAllowed: false } as const;

function told<Input>({ name, severity, faults }: Check<Input>, input: Input): FieldFinding[] {
  return faults(input).map((fault) => ({ severity, name, ...fault }));
}
