import { type Condition, findCondition } from "../../language/object/condition.ts";
import { keys } from "../hosted/protocol.ts";
import type { Profile, ProfileStatus } from "../node-tuning/api.ts";
import { describeDrain, readDrain } from "../rollout/drain/drain-record.ts";
import { printable } from "../rollout/node-annotations.ts";
import { phaseOf } from "../rollout/node-progress.ts";
import { judgeNode, type NodeState } from "../rollout/node-state.ts";
import { turnOf } from "../rollout/node-waits.ts";
import { describeConflict } from "../rollout/pool-status.ts";
import type { RolloutNode } from "../rollout/rollout-node.ts";
import type { FleetPools } from "./fleet-pools.ts";

/** The first that applies, in this order: those that need a person come before those that end by themselves. */
export const fleetStates = [
  "Degraded",
  "Drifted",
  "Waiting for config",
  "Waiting for reboot",
  "Applying",
  "Unknown",
  "As wanted",
] as const;
export type FleetState = (typeof fleetStates)[number];

/** One node, for a table of thousands. */
export interface FleetRow {
  readonly name: string;
  /** Its condition Ready. */
  readonly ready: boolean;
  readonly cordoned: boolean;
  /** MachineConfigPool or NodePool. Empty: none. */
  readonly pool: string;
  /** The profile that the operator chose. Empty: none. */
  readonly profile: string;
  /** The profile that the agent reports. Empty: none. */
  readonly inForce: string;
  readonly state: FleetState;
  /** Why. Empty: as wanted. */
  readonly because: string;
  /** How many settings another process changed. */
  readonly drift: number;
  /** Whether something that is wanted takes effect only when the node restarts. */
  readonly reboot: boolean;
  /** Since when it is in this state, where that is known. */
  readonly since?: string | undefined;
}

export interface FleetNode {
  readonly node: RolloutNode;
  /** Undefined: the operator has made none. */
  readonly profile: Profile | undefined;
  readonly pools: FleetPools;
}

/** Nodes of other operating systems have no agent, and no row. */
export function isTunable({ metadata }: RolloutNode): boolean {
  const os = metadata.labels?.["kubernetes.io/os"];
  return os === undefined || os === "linux";
}

export function fleetRow({ node, profile, pools }: FleetNode): FleetRow {
  const { name = "", labels = {} } = node.metadata;
  const { status } = profile ?? {};
  const ready = findCondition(node.status?.conditions, "Ready");
  const state = judgeNode(node);
  const restarts = restartsFor(state, profile, pools);
  const facts = { state, profile, pools, restarts, isReady: ready?.status === "True" };
  return {
    name,
    ready: facts.isReady,
    cordoned: node.spec?.unschedulable === true,
    pool: pools.selection.configuring(labels).pool ?? labels[keys.nodePool] ?? "",
    profile: profile?.spec.config.tunedProfile ?? "",
    inForce: status?.tunedProfile ?? "",
    drift: driftOf(status),
    reboot: facts.restarts !== undefined,
    ...withText(verdictOn(facts)),
  };
}

interface Facts {
  readonly state: NodeState;
  readonly profile: Profile | undefined;
  readonly pools: FleetPools;
  /** What a restart would bring. Undefined: nothing. */
  readonly restarts: Verdict | undefined;
  readonly isReady: boolean;
}

interface Verdict {
  readonly state: FleetState;
  readonly because: string;
  readonly since?: string | undefined;
}

function verdictOn(facts: Facts): Verdict {
  return (
    updateFailure(facts) ??
    tuningVerdict(facts) ??
    configVerdict(facts) ??
    facts.restarts ??
    updateVerdict(facts) ??
    restOf(facts)
  );
}

/** Its machine config could not be applied, or no pool gives it one. */
function updateFailure({ state: { node, update, isDegraded }, pools }: Facts): Verdict | undefined {
  const conflict = pools.selection.conflictOf(node.metadata.labels ?? {});
  if (conflict.length > 0) return { state: "Degraded", because: `it is ${describeConflict(conflict)}` };
  if (!isDegraded) return undefined;
  const { state, reason } = update;
  return { state: "Degraded", because: reason === "" ? `its machine config is ${state}` : reason };
}

/** What the agent says of the profile that the node should have now. */
function tuningVerdict({ profile }: Facts): Verdict | undefined {
  if (profile?.status === undefined || isBehind(profile)) return undefined;
  const { conditions } = profile.status;
  const degraded = trueCondition(conditions, "Degraded");
  if (degraded && degraded.reason !== "TunedDeferredUpdate") return said("Degraded", degraded);
  const drifted = trueCondition(conditions, "Drifted");
  return drifted && said("Drifted", drifted);
}

/** What comes before the config of its pool: a drain, or the turn of the node. */
function configVerdict({ state: judged, pools }: Facts): Verdict | undefined {
  const state = "Waiting for config";
  const { node, update } = judged;
  if (phaseOf(judged) === "Draining") {
    const drain = readDrain(node);
    const pods = drain ? describeDrain(drain) : "";
    const because = pods === "" ? `it is drained before it gets ${update.desired}` : `its drain is blocked: ${pods}`;
    return { state, because, since: drain?.since };
  }
  const pool = pools.byName.get(pools.selection.configuring(node.metadata.labels ?? {}).pool ?? "");
  const target = pool?.spec?.configuration?.name ?? "";
  if (update.state === "Lost") return { state, because: `${update.reason}: it gets it again when its pool allows` };
  // Where images are layered, nodes that have the config name an image too: those do not wait.
  if (!pool || target === "" || update.desired === target) return undefined;
  return { state, because: turnOf(judged, pool) };
}

/** Only its agent knows what the config costs: that it takes a restart is known when the agent asks for it. */
function updateVerdict({ state: judged }: Facts): Verdict | undefined {
  const { current, desired } = judged.update;
  if (desired === "" || desired === current) return undefined;
  const isWorking = phaseOf(judged) === "Working";
  const because = isWorking ? `its agent applies ${desired}` : `its agent is about to apply ${desired}`;
  return { state: "Applying", because };
}

/** Nothing is wrong as far as is known, and nothing waits for a restart. */
function restOf({ profile, isReady }: Facts): Verdict {
  if (!profile) return { state: "Unknown", because: "it has no Profile" };
  const applied = findCondition(profile.status?.conditions, "Applied");
  if (!isReady) {
    const because = "the node is not ready: what its agent reported may be out of date";
    return { state: "Unknown", because, since: applied?.lastTransitionTime };
  }
  if (!applied) return { state: "Unknown", because: "its agent has reported nothing" };
  if (isBehind(profile) || applied.status !== "True") {
    const { tunedProfile } = profile.spec.config;
    return { state: "Applying", because: `its agent has not applied ${tunedProfile} yet` };
  }
  return { state: "As wanted", because: "", since: applied.lastTransitionTime };
}

/** Whether the status is about another profile than the node should have now. */
function isBehind({ metadata, spec, status }: Profile): boolean {
  const { observedGeneration, tunedProfile } = status ?? { tunedProfile: "" };
  if (observedGeneration !== undefined && observedGeneration !== metadata.generation) return true;
  // A change that is deferred leaves the profile before it in force.
  const isDeferred = findCondition(status?.conditions, "Applied")?.reason === "Deferred";
  return tunedProfile !== spec.config.tunedProfile && !isDeferred;
}

function restartsFor(judged: NodeState, profile: Profile | undefined, pools: FleetPools): Verdict | undefined {
  const { current, desired } = judged.update;
  const state = "Waiting for reboot";
  if (desired !== current && phaseOf(judged) === "Rebooting") return { state, because: `it restarts with ${desired}` };
  const { conditions, bootcmdlinePending } = profile?.status ?? {};
  const applied = findCondition(conditions, "Applied");
  if (applied?.reason === "Deferred" && applied.status !== "True") return said(state, applied);
  // In a cluster with pools boot arguments come with a config, which the annotations above tell.
  if (!bootcmdlinePending || !pools.selection.isEmpty) return undefined;
  return { state, because: `the running kernel lacks boot arguments: ${bootcmdlinePending}` };
}

function driftOf(status: ProfileStatus | undefined): number {
  const { exceptions, conditions } = status ?? {};
  const changed = exceptions?.filter(({ state }) => state === "Changed" || state === "Repaired").length ?? 0;
  // Agents before this one report the condition only.
  return Math.max(changed, trueCondition(conditions, "Drifted") ? 1 : 0);
}

function trueCondition(conditions: readonly Condition[] | undefined, type: string): Condition | undefined {
  const found = findCondition(conditions, type);
  return found?.status === "True" ? found : undefined;
}

function said(state: FleetState, { message, reason, lastTransitionTime }: Condition): Verdict {
  return { state, because: message || reason, since: lastTransitionTime };
}

/** Agents may write anything, and a table of thousands of nodes has no room for all of it. */
const longestText = 300;

function withText({ state, because, since }: Verdict): Pick<FleetRow, "state" | "because" | "since"> {
  return { state, because: printable(because, longestText), since };
}
