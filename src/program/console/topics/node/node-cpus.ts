import type { NodeCpus } from "../../../../../console/protocol/node.ts";
import type { Profile } from "../../../../domain/node-tuning/api.ts";
import type { PerformanceProfile } from "../../../../domain/performance-profile/api.ts";
import { selects } from "../../../../domain/performance-profile/pools.ts";
import { progressOf } from "../../../../domain/scylla/on-node/job-progress.ts";
import { readRecord, type TuningRecord } from "../../../../domain/scylla/on-node/tuning.ts";
import { cpuSet, formatRanges } from "../../../../language/cpu/cpu-set.ts";
import { parseCpuset } from "../../../../language/cpu/kubernetes-cpuset.ts";
import { parseTopology } from "../../../../language/cpu/topology-text.ts";
import type { KubeObject } from "../../../../language/object/meta.ts";

export interface NodeCpusInput {
  readonly labels: Readonly<Record<string, string>>;
  readonly profile: Profile | undefined;
  readonly performanceProfiles: readonly PerformanceProfile[];
  /** Jobs that tuned the node for databases. */
  readonly jobs: readonly KubeObject[];
}

const profileRoles = ["reserved", "isolated", "shared", "ovsDpdk", "offlined"] as const;

/** The CPUs of a node and what they are for. */
export function nodeCpus({ labels, profile, performanceProfiles, jobs }: NodeCpusInput): NodeCpus {
  const { hardware } = profile?.status ?? {};
  const dividing = performanceProfiles.find(({ spec }) => selects({ matchLabels: spec?.nodeSelector }, labels));
  const cpu = dividing?.spec?.cpu ?? {};
  const sets: Partial<Record<keyof NodeCpus["sets"], string>> = {};
  for (const role of profileRoles) {
    const text = (cpu as Record<string, unknown>)[role];
    if (typeof text === "string" && text !== "" && parseCpuset(text).type === "cpus") sets[role] = text;
  }
  const tuned = databaseTuning(jobs);
  if (tuned) sets.scylla = formatRanges(cpusOf(Object.values(tuned.pods).map(({ cpus }) => cpus)));
  return {
    // Of half a topology nothing can be drawn.
    ...(hardware && parseTopology(hardware)
      ? { topology: { numaNodes: hardware.numaNodes, offline: hardware.offline }, caches: hardware.caches ?? [] }
      : {}),
    ...(dividing ? { profile: dividing.metadata.name ?? "" } : {}),
    sets,
    ...(tuned ? { irq: tuned.inputs.irqCpus } : {}),
  };
}

/** What the last Job that succeeded did, if it was for databases. */
function databaseTuning(jobs: readonly KubeObject[]): TuningRecord | undefined {
  const records = jobs.flatMap((job) => (progressOf(job).type === "complete" ? (readRecord(job) ?? []) : []));
  const last = records.toSorted((a, b) => b.sequence - a.sequence)[0];
  return last?.inputs.purpose === "databases" ? last : undefined;
}

function cpusOf(texts: readonly string[]): readonly number[] {
  return cpuSet(
    texts.flatMap((text) => {
      const read = parseCpuset(text);
      return read.type === "cpus" ? read.cpus : [];
    }),
  );
}
