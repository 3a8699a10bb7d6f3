import type { CpusetsByRole, NodeCpus } from "../../../../../console/protocol/node.ts";
import { keys } from "../../../../domain/hosted/protocol.ts";
import type { CpusInForce, Profile } from "../../../../domain/node-tuning/api.ts";
import type { PerformanceProfile } from "../../../../domain/performance-profile/api.ts";
import { profileOfTuned } from "../../../../domain/performance-profile/names.ts";
import { selects } from "../../../../domain/performance-profile/pools.ts";
import { progressOf } from "../../../../domain/scylla/on-node/job-progress.ts";
import { readRecord, type TuningRecord } from "../../../../domain/scylla/on-node/tuning.ts";
import {
  type CpuSet,
  cpuSet,
  difference,
  formatRanges,
  intersection,
  union,
} from "../../../../language/cpu/cpu-set.ts";
import { type CpuTopology, onlineCpus } from "../../../../language/cpu/cpu-topology.ts";
import { parseCpuset } from "../../../../language/cpu/kubernetes-cpuset.ts";
import { parseTopology } from "../../../../language/cpu/topology-text.ts";
import { equal } from "../../../../language/object/json.ts";
import type { KubeObject } from "../../../../language/object/meta.ts";

export interface NodeCpusInput {
  readonly labels: Readonly<Record<string, string>>;
  readonly profile: Profile | undefined;
  readonly performanceProfiles: readonly PerformanceProfile[];
  /** Jobs that tuned the node for databases. */
  readonly jobs: readonly KubeObject[];
}

const profileRoles = ["reserved", "isolated", "shared", "ovsDpdk", "offlined"] as const;
type ProfileRole = (typeof profileRoles)[number];
type Sets = Readonly<Record<ProfileRole, CpuSet>>;

/** The CPUs of a node and what they are for. */
export function nodeCpus({ labels, profile, performanceProfiles, jobs }: NodeCpusInput): NodeCpus {
  const { hardware, cpus } = profile?.status ?? {};
  const topology = hardware && parseTopology(hardware);
  const dividing = performanceProfiles.find(({ spec }) => selects({ matchLabels: spec?.nodeSelector }, labels));
  // A hosted cluster has no PerformanceProfiles: what is derived from one names it.
  const isHosted = Object.hasOwn(labels, keys.nodePool);
  const name =
    dividing?.metadata.name ?? (isHosted ? profileOfTuned(profile?.spec.config.tunedProfile ?? "") : undefined);
  const wanted = wantedBy(dividing);
  const online = topology && onlineCpus(topology);
  const actual = online && cpus && setsInForce(cpus, { online, offline: topology.offline, wanted });
  const tuned = databaseTuning(jobs);
  const scylla = tuned && formatRanges(cpusOf(Object.values(tuned.pods).map(({ cpus: of }) => of)));
  const irq = tuned?.inputs.irqCpus ?? servingInterrupts(cpus, online ?? []);
  return {
    // Of half a topology nothing can be drawn.
    ...(hardware && topology
      ? { topology: { numaNodes: hardware.numaNodes, offline: hardware.offline }, caches: hardware.caches ?? [] }
      : {}),
    ...(name === undefined ? {} : { profile: name }),
    sets: { ...textsOf(actual ?? wanted), ...(scylla === undefined ? {} : { scylla }) },
    ...(dividing && !actual ? { unreported: true } : {}),
    ...(dividing && actual && !equal(actual, onMachine(wanted, topology)) ? { wanted: textsOf(wanted) } : {}),
    ...(irq === undefined ? {} : { irq }),
  };
}

function wantedBy(dividing: PerformanceProfile | undefined): Sets {
  const cpu = (dividing?.spec?.cpu ?? {}) as Readonly<Record<string, unknown>>;
  const text = (role: ProfileRole): string => (typeof cpu[role] === "string" ? cpu[role] : "");
  return ofEachRole((role) => cpusOf([text(role)]));
}

/** A profile for several layouts names CPUs that some machines do not have. */
function onMachine(wanted: Sets, topology: CpuTopology): Sets {
  const present = union(onlineCpus(topology), topology.offline);
  return ofEachRole((role) => intersection(wanted[role], present));
}

interface Machine {
  readonly online: CpuSet;
  readonly offline: CpuSet;
  readonly wanted: Sets;
}

/**
 * Undefined: the node does not say which CPUs its kernel keeps free. The kernel keeps those of OVS-DPDK free as well, and the
 * kubelet reserves them and the shared ones: no container gets them alone. Where the configuration of the kubelet is unknown, the
 * system has the others.
 */
function setsInForce(cpus: CpusInForce, { online, offline, wanted }: Machine): Sets | undefined {
  if (cpus.isolated === undefined) return undefined;
  const free = intersection(cpusOf([cpus.isolated]), online);
  const shared = intersection(cpusOf([cpus.shared ?? ""]), online);
  const rest = free.length > 0 ? difference(online, free) : [];
  const kept = cpus.reserved === undefined ? union(rest, wanted.ovsDpdk) : cpusOf([cpus.reserved]);
  return {
    reserved: difference(intersection(kept, online), [...free, ...shared]),
    isolated: difference(free, kept),
    shared,
    ovsDpdk: intersection(free, kept),
    // A CPU that is off for another reason was not offlined by the profile.
    offlined: intersection(offline, wanted.offlined),
  };
}

/** That all CPUs serve interrupts is no set. */
function servingInterrupts(cpus: CpusInForce | undefined, online: CpuSet): string | undefined {
  const serving = intersection(cpusOf([cpus?.irq ?? ""]), online);
  return serving.length === 0 || serving.length === online.length ? undefined : formatRanges(serving);
}

function textsOf(sets: Sets): CpusetsByRole {
  const texts = profileRoles.map((role) => [role, formatRanges(sets[role])] as const);
  return Object.fromEntries(texts.filter(([, text]) => text !== ""));
}

function ofEachRole(setOf: (role: ProfileRole) => CpuSet): Sets {
  return Object.fromEntries(profileRoles.map((role) => [role, setOf(role)])) as Record<ProfileRole, CpuSet>;
}

/** What the last Job that succeeded did, if it was for databases. */
function databaseTuning(jobs: readonly KubeObject[]): TuningRecord | undefined {
  const records = jobs.flatMap((job) => (progressOf(job).type === "complete" ? (readRecord(job) ?? []) : []));
  const last = records.toSorted((a, b) => b.sequence - a.sequence)[0];
  return last?.inputs.purpose === "databases" ? last : undefined;
}

function cpusOf(texts: readonly string[]): CpuSet {
  return cpuSet(
    texts.flatMap((text) => {
      const read = parseCpuset(text);
      return read.type === "cpus" ? read.cpus : [];
    }),
  );
}
