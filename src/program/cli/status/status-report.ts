import { type FleetPools, fleetPools } from "../../../domain/fleet/fleet-pools.ts";
import { type FleetRow, fleetRow, fleetStates, isTunable } from "../../../domain/fleet/fleet-row.ts";
import { type FleetSummary, fleetSentence, summarise } from "../../../domain/fleet/fleet-summary.ts";
import type { MachineConfigPool } from "../../../domain/machine-config/api.ts";
import { nodePoolOf } from "../../../domain/hosted/protocol.ts";
import type { NodePool } from "../../../domain/node-pool/api.ts";
import type { Profile } from "../../../domain/node-tuning/api.ts";
import type { PerformanceProfile } from "../../../domain/performance-profile/api.ts";
import type { RolloutNode } from "../../../domain/rollout/rollout-node.ts";
import { findCondition } from "../../../language/object/condition.ts";
import { keyOf } from "../../../language/object/meta.ts";
import { type PoolOutcome, poolOutcomes } from "../up/pool-outcome.ts";
import { type PartHealth, type SystemObjects, systemHealth } from "./system-health.ts";

/** What `attune status` reads. */
export interface StatusObjects {
  readonly nodes: readonly RolloutNode[];
  /** Undefined: the cluster has no such kind, so Attune is not installed there. */
  readonly profiles: readonly Profile[] | undefined;
  readonly pools: readonly MachineConfigPool[];
  readonly performanceProfiles: readonly PerformanceProfile[];
  /** On a management cluster of hosted control planes. */
  readonly nodePools: readonly NodePool[];
  readonly system: SystemObjects;
  readonly managementState: "Managed" | "Unmanaged" | "Removed";
}

export interface NodePoolStatus {
  /** `namespace/name` */
  readonly name: string;
  readonly nodes: number;
  /** What it waits for. Empty: nothing. */
  readonly waitsFor: string;
}

export interface StatusReport {
  /** In one sentence. */
  readonly answer: string;
  readonly summary: FleetSummary;
  readonly system: readonly PartHealth[];
  /** Why nodes are not tuned, where users switched it off. */
  readonly managementState: StatusObjects["managementState"];
  readonly pools: readonly PoolOutcome[];
  readonly nodePools: readonly NodePoolStatus[];
  /** Those that need a person first. */
  readonly nodes: readonly FleetRow[];
}

export function statusReport(objects: StatusObjects, now: number): StatusReport {
  const { nodes, profiles, pools, performanceProfiles, nodePools, managementState } = objects;
  const isHost = profiles === undefined;
  const rows = isHost ? [] : rowsOf(nodes, profiles, fleetPools(pools));
  const system = isHost
    ? []
    : systemHealth({ ...objects.system, isHosted: nodes.some((node) => nodePoolOf(node) !== "") }, now);
  const summary = summarise(rows);
  const hosted = nodePools.map(nodePoolStatus);
  return {
    answer: answerOf({ isHost, summary, system, hosted, managementState }),
    summary,
    system,
    managementState,
    pools: poolOutcomes(pools, performanceProfiles),
    nodePools: hosted,
    nodes: rows,
  };
}

function rowsOf(nodes: readonly RolloutNode[], profiles: readonly Profile[], pools: FleetPools): FleetRow[] {
  const byName = new Map(profiles.map((profile) => [profile.metadata.name, profile]));
  const rows = nodes
    .filter(isTunable)
    .map((node) => fleetRow({ node, profile: byName.get(node.metadata.name), pools }));
  const rank = new Map(fleetStates.map((state, at) => [state, at]));
  return rows.toSorted(
    (a, b) => (rank.get(a.state) ?? 0) - (rank.get(b.state) ?? 0) || inNaturalOrder.compare(a.name, b.name),
  );
}

/** `node-2` before `node-10`. */
const inNaturalOrder = new Intl.Collator("en", { numeric: true });

interface Answer {
  readonly isHost: boolean;
  readonly summary: FleetSummary;
  readonly system: readonly PartHealth[];
  readonly hosted: readonly NodePoolStatus[];
  readonly managementState: StatusObjects["managementState"];
}

function answerOf({ isHost, summary, system, hosted, managementState }: Answer): string {
  if (isHost) {
    if (hosted.length === 0) return "Attune is not installed in this cluster: attune install --apply installs it";
    const waiting = hosted.filter(({ waitsFor }) => waitsFor !== "").length;
    const all = hosted.length === 1 ? "The NodePool is" : `All ${hosted.length} NodePools are`;
    return waiting === 0 ? `${all} as wanted` : `${waiting} of ${hosted.length} NodePools are not as wanted`;
  }
  const bad = system.filter(({ state }) => state === "bad").map(({ part }) => part);
  const parts = bad.length === 0 ? "" : `; look at ${bad.join(" and ")}`;
  if (managementState === "Removed")
    return `Tuning is removed: managementState of the Tuned default is Removed${parts}`;
  return `${fleetSentence(summary)}${parts}`;
}

function nodePoolStatus(pool: NodePool): NodePoolStatus {
  const { conditions, replicas } = pool.status ?? {};
  const wrong = (type: string, when: "True" | "False"): string | undefined => {
    const condition = findCondition(conditions, type);
    return condition?.status === when ? condition.message || condition.reason : undefined;
  };
  const { pausedUntil } = pool.spec ?? {};
  const waitsFor =
    wrong("ValidTuningConfig", "False") ??
    wrong("PerformanceProfileAppliedSuccessfully", "False") ??
    wrong("UpdatingConfig", "True") ??
    (pausedUntil ? `spec.pausedUntil: ${pausedUntil}` : "");
  return { name: keyOf(pool), nodes: replicas ?? pool.spec?.replicas ?? 0, waitsFor };
}
