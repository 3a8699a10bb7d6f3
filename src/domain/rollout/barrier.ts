import { equal } from "../../language/object/json.ts";
import type { KubeObject } from "../../language/object/meta.ts";
import { formatTime } from "../../language/object/time.ts";
import { isTrue } from "../../language/object/condition.ts";
import type { KubeletConfig, MachineConfig, MachineConfigPool } from "../machine-config/api.ts";
import { generatedKubelet } from "../machine-config/kubelet-config/kubelet-config-kind.ts";
import { generatedName } from "../machine-config/pool-configs/generated-kind.ts";
import { acceptedBefore } from "../machine-config/pool-configs/remembered.ts";
import { selects } from "../performance-profile/pools.ts";
import type { BootDecision } from "../node-tuning/boot/boot-decision.ts";
import { machineConfigName } from "../node-tuning/boot/machine-configs.ts";
import { incompleteSets } from "./derived-set.ts";
import { type Held, heldOf } from "./held.ts";

/** A change of several objects is one rendering if they are written within this time. */
export const quietMs = 2_000;

/** A node that has not reported by then does not keep its pool waiting any longer. */
export const longestMs = 5 * 60_000;

export interface BarrierInput {
  readonly pool: MachineConfigPool;
  /** The name of the rendering that is ready. */
  readonly rendering: string;
  /** The MachineConfigs of the rendering. */
  readonly sources: readonly MachineConfig[];
  /** Of the cluster. */
  readonly kubeletConfigs: readonly KubeletConfig[];
  /** What node tuning last decided. Undefined: nothing since the operator started. */
  readonly boot: BootDecision | undefined;
  /** Nodes of the pool that have not been told the rendering. */
  readonly untold: readonly Pick<KubeObject, "metadata">[];
  /** Milliseconds since 1970. */
  readonly now: number;
}

export type Barrier =
  /** With `held`: released without these nodes. */
  | { readonly type: "open"; readonly held?: Held | undefined }
  /** `isSettling`: nothing is missing, but more may change. */
  | { readonly type: "held"; readonly held: Held; readonly isSettling: boolean; readonly againInMs: number };

/**
 * Whether a pool's rendering is released to its nodes, or waits for what belongs to the same change: a node restarts for each
 * rendering, and boot arguments are known only when the nodes have reported them. Nodes that join a pool wait too: the first one
 * is the first that reports.
 */
export function barrier(input: BarrierInput): Barrier {
  const { pool, rendering, untold, now } = input;
  const held = heldOf(pool);
  const missing = whatIsMissing(input) ?? kubeletFilesMissing(input) ?? decisionMissing(input);
  if (rendering === pool.spec?.configuration?.name) {
    if (held?.released && missing) return { type: "open", held: { ...held, ...missing } };
    if (!missing || untold.length === 0) return { type: "open" };
  }
  const known = held?.rendering === rendering ? held : undefined;
  const since = pastTime(known?.since, now);
  if (missing) {
    const left = longestMs - (now - Date.parse(since));
    const next: Held = { rendering, since, ...missing };
    if (left > 0) return { type: "held", held: next, isSettling: false, againInMs: left };
    return { type: "open", held: { ...next, released: true } };
  }
  const readySince = pastTime(known?.readySince, now);
  const left = quietMs - (now - Date.parse(readySince));
  if (left <= 0) return { type: "open" };
  return { type: "held", held: { rendering, since, readySince }, isSettling: true, againInMs: left };
}

/** A clock that was set back must not make a pool wait longer. */
function pastTime(time: string | undefined, now: number): string {
  return time !== undefined && Date.parse(time) <= now ? time : formatTime(now);
}

export type Missing = Required<Pick<Held, "waitsFor">> & Pick<Held, "nodes">;

type MissingInput = Pick<BarrierInput, "pool" | "sources" | "kubeletConfigs" | "boot">;

/** The first reason to wait, if there is one. */
export function whatIsMissing(input: MissingInput): Missing | undefined {
  return objectsMissing(input) ?? bootArgumentsMissing(input);
}

/** Objects of a profile that are not written yet, or not seen. */
export function objectsMissing({ pool, sources, kubeletConfigs, boot }: MissingInput): Missing | undefined {
  if (!boot) return { waitsFor: "the decision about boot arguments" };
  const { name = "", labels = {} } = pool.metadata;
  const ofPool = {
    tuneds: boot.tuneds.filter((tuned) => boot.poolsOf.get(tuned.metadata.name ?? "")?.includes(name)),
    machineConfigs: sources,
    kubeletConfigs: kubeletConfigs.filter(({ spec }) => selects(spec?.machineConfigPoolSelector, labels)),
  };
  const incomplete = incompleteSets(ofPool, { tuneds: boot.tuneds, kubeletConfigs });
  if (incomplete.length > 0) return { waitsFor: `the objects of PerformanceProfile ${incomplete.join(", ")}` };
  const unseen = ofPool.kubeletConfigs.find(
    ({ metadata, status }) => status?.observedGeneration !== metadata.generation,
  );
  return unseen && { waitsFor: `the files of KubeletConfig ${unseen.metadata.name}` };
}

/**
 * The generated MachineConfig has other KubeletConfigs than the cluster, or another generation of one: its event may come later
 * than those of the KubeletConfigs, which are another watch.
 */
function kubeletFilesMissing({ pool, sources, kubeletConfigs }: BarrierInput): Missing | undefined {
  const name = generatedName(generatedKubelet, pool.metadata.name ?? "");
  const merged = acceptedBefore(sources.find(({ metadata }) => metadata.name === name));
  const ofPool = kubeletConfigs.filter(({ spec }) =>
    selects(spec?.machineConfigPoolSelector, pool.metadata.labels ?? {}),
  );
  const uids = new Set(ofPool.map(({ metadata }) => metadata.uid));
  const isMerged = ({ metadata, status }: KubeletConfig): boolean => {
    if (metadata.deletionTimestamp || !isTrue(status?.conditions ?? [], "Accepted")) return true;
    const { uid, generation } = merged.get(metadata.name ?? "") ?? {};
    return uid === metadata.uid && generation === metadata.generation;
  };
  const isCurrent = ofPool.every(isMerged) && [...merged.values()].every(({ uid }) => uids.has(uid));
  return isCurrent ? undefined : { waitsFor: `MachineConfig ${name}` };
}

/** Nodes that have joined, or got other labels, since node tuning decided: another event may come first. */
function decisionMissing({ boot, untold }: BarrierInput): Missing | undefined {
  const labelsOf = boot?.labelsOf;
  const nodes = labelsOf
    ? untold.filter(({ metadata }) => !equal(labelsOf.get(metadata.name ?? ""), metadata.labels ?? {}))
    : [];
  if (nodes.length === 0) return undefined;
  return { waitsFor: "the decision about boot arguments", nodes: nodes.map(({ metadata }) => metadata.name ?? "") };
}

/** Nodes that have not reported for what they should have, or whose reports are not in the rendering yet. */
export function bootArgumentsMissing({
  pool: { metadata },
  sources,
  boot,
}: Pick<BarrierInput, "pool" | "sources" | "boot">): Missing | undefined {
  const { name: pool = "" } = metadata;
  const name = machineConfigName(pool);
  const config = sources.find(({ metadata }) => metadata.name === name);
  const written = { waitsFor: `MachineConfig ${name}` };
  if (config && boot?.orphaned.includes(name)) return written;
  const outcome = boot?.pools.find((one) => one.pool === pool)?.outcome;
  switch (outcome?.type) {
    case undefined:
      return undefined;
    case "waiting":
      return { waitsFor: "boot arguments of nodes", nodes: outcome.nodes };
    case "unapplied":
      return { waitsFor: "a node that has applied its profile" };
    case "conflict":
    case "impossible":
      return { waitsFor: "nodes that agree on boot arguments", nodes: [...outcome.values.values()].flat().toSorted() };
    case "agreed":
      return equal(outcome.arguments, config?.spec?.kernelArguments ?? []) ? undefined : written;
  }
}
