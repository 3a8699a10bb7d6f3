import type { Client } from "../../../cluster/kube/client.ts";
import { type Clock, pause, systemClock } from "../../../cluster/runtime/clock.ts";
import { type Profile, type ProfileSpec, tuningNamespace } from "../../../domain/node-tuning/api.ts";
import { type Judgement, judge } from "../../../domain/node-tuning/judge.ts";
import { performanceProfileKind } from "../../../domain/performance-profile/api.ts";
import { findCondition } from "../../../language/object/condition.ts";
import { equal } from "../../../language/object/json.ts";
import type { Host } from "../../../node/host/host.ts";
import { findBootId } from "../../../node/host/boot-id.ts";
import { loadRecord } from "../../../node/on-node/tuning-record.ts";
import { gatherNodeTuning, gatherPods } from "../../gather/gather-node-tuning.ts";
import { textTable } from "../terminal/text-table.ts";
import { type PoolOutcome, poolOutcomes } from "./pool-outcome.ts";
import { exampleSysctl } from "./worked-example.ts";

/** One node: its Profile, the status that the agent reports, and the value of the example's setting in the kernel. */
export interface NodeOutcome {
  readonly node: string;
  readonly profile: string;
  readonly applied: string;
  readonly degraded: string;
  readonly value: string;
  readonly message: string;
  /** What is missing until the node has converged; undefined if nothing is. */
  readonly waitsFor?: string | undefined;
}

export interface NodeState {
  readonly node: string;
  readonly host: Pick<Host, "read">;
  readonly profile: Profile | undefined;
  readonly wanted: Wanted;
}

/** What the operator decides for a node by the Tuneds of now. */
export type Wanted =
  | { readonly type: "profile"; readonly spec: ProfileSpec }
  | { readonly type: "no profile" }
  | { readonly type: "no node" };

/** After a boot the kernel has its own values until the agent has applied the Profile, which still has its old status. */
const unapplied = "the agent to apply the profile";

export async function outcomeOf({ node, host, profile, wanted }: NodeState): Promise<NodeOutcome> {
  const { conditions = [], observedGeneration } = profile?.status ?? {};
  const current = profile !== undefined && observedGeneration === profile.metadata.generation;
  const applied = current ? findCondition(conditions, "Applied") : undefined;
  const degraded = current ? findCondition(conditions, "Degraded") : undefined;
  const [record, bootId] = await Promise.all([loadRecord(host), findBootId(host)]);
  const isTuned = record?.complete === true && record.bootId === bootId;
  const missing = (): string | undefined => {
    if (wanted.type === "no node") return "its Node";
    if (wanted.type === "no profile") return profile && "the operator to delete the Profile";
    if (!equal(profile?.spec, wanted.spec)) return `the operator to choose profile ${wanted.spec.config.tunedProfile}`;
    if (!applied || !degraded) return "the agent to report";
    if (degraded.status === "True") return degraded.message;
    if (applied.status !== "True") return applied.message;
    return isTuned && equal(record.spec, wanted.spec) ? undefined : unapplied;
  };
  const waitsFor = missing();
  const isOld = waitsFor === unapplied;
  const file = await host.read(exampleSysctl.path);
  return {
    node,
    profile: profile?.spec.config.tunedProfile ?? "-",
    applied: (isOld ? undefined : applied?.status) ?? "Unknown",
    degraded: (isOld ? undefined : degraded?.status) ?? "Unknown",
    value: file.type === "text" ? file.text.trim() : "",
    message:
      waitsFor === undefined
        ? (applied?.message ?? "not managed: managementState of Tuned default")
        : `waiting for ${waitsFor}`,
    waitsFor,
  };
}

export interface ClusterState {
  readonly nodes: readonly NodeOutcome[];
  /** Empty where the operator does not roll pools out. */
  readonly pools: readonly PoolOutcome[];
}

/** The nodes and pools that something is missing on. */
export function waitingIn({ nodes, pools }: ClusterState): readonly (NodeOutcome | PoolOutcome)[] {
  return [...nodes, ...pools].filter(({ waitsFor }) => waitsFor !== undefined);
}

export interface Convergence {
  readonly read: () => Promise<ClusterState>;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** Called with every state. */
  readonly onState?: ((state: ClusterState) => void) | undefined;
  readonly clock?: Clock | undefined;
}

/** The kernel sends no events, so nodes are read this often. */
const pollMs = 100;

/** Reads nodes and pools until all have converged, the time is over or the signal aborts. Returns the last state. */
export async function converge(options: Convergence): Promise<ClusterState> {
  const { read, signal, timeoutMs, onState, clock = systemClock } = options;
  const deadline = clock.monotonic() + timeoutMs;
  let state: ClusterState = { nodes: [], pools: [] };
  while (!signal.aborted) {
    const began = clock.monotonic();
    try {
      state = await read();
    } catch (error) {
      if (signal.aborted) break;
      throw error;
    }
    onState?.(state);
    const now = clock.monotonic();
    if (now >= deadline || waitingIn(state).length === 0) break;
    // Thousands of nodes take long to read: most of the time is left to the programs that tune them.
    await pause(clock, Math.max(pollMs, 4 * (now - began)), signal);
  }
  return state;
}

/** The machines of nodes, by name. */
export type Hosts = ReadonlyMap<string, Pick<Host, "read">>;

export interface ClusterRead {
  readonly client: Client;
  readonly hosts: Hosts;
  readonly signal: AbortSignal;
  /** Whether the operator rolls pools out, which must then converge too. */
  readonly rollsOut?: boolean | undefined;
}

/** Of a cluster whose users write Tuneds. */
export async function readCluster({ client, hosts, signal, rollsOut = false }: ClusterRead): Promise<ClusterState> {
  const namespace = tuningNamespace;
  const { tuning, profiles } = await gatherNodeTuning({ client, namespace, now: systemClock.now(), signal });
  const podsOn = await gatherPods(client, tuning.tuneds, { signal });
  const performance = rollsOut ? (await client.list(performanceProfileKind, { signal })).items : [];
  return {
    nodes: await nodeOutcomes(hosts, profiles, [judge({ ...tuning, podsOn })]),
    pools: rollsOut ? poolOutcomes(tuning.pools ?? [], performance) : [],
  };
}

/** `judgements`: of all nodes. */
export async function nodeOutcomes(
  hosts: Hosts,
  profiles: readonly Profile[],
  judgements: readonly Judgement[],
): Promise<NodeOutcome[]> {
  const wanted = new Map(judgements.flatMap((one) => [...wantedOn(one)]));
  const observed = new Map(profiles.map((profile) => [profile.metadata.name, profile]));
  const readNode = ([node, host]: [string, Pick<Host, "read">]): Promise<NodeOutcome> =>
    outcomeOf({ node, host, profile: observed.get(node), wanted: wanted.get(node) ?? { type: "no node" } });
  return Promise.all([...hosts].map(readNode));
}

function wantedOn({ managementState, chosen }: Judgement): Map<string, Wanted> {
  return new Map(
    chosen.map(({ node: { node, observed, wanted }, undecided }): [string, Wanted] => {
      // The operator keeps the Profile that is there, if the texts contradict each other or it was told to change nothing.
      const kept = undecided || managementState === "Unmanaged";
      const spec = managementState === "Removed" ? undefined : kept ? observed?.spec : wanted.spec;
      return [node.metadata.name ?? "", spec ? { type: "profile", spec } : { type: "no profile" }];
    }),
  );
}

export function outcomeTable(outcomes: readonly NodeOutcome[], columns?: number): string {
  return textTable(
    ["NODE", "PROFILE", "APPLIED", "DEGRADED", exampleSysctl.name.toUpperCase(), "MESSAGE"],
    outcomes.map(({ node, profile, applied, degraded, value, message }) => [
      node,
      profile,
      applied,
      degraded,
      value,
      message,
    ]),
    { columns },
  );
}
