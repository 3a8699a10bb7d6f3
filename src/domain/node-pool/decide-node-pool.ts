import type { ObjectReference, PlannedObject } from "../../language/object/plan.ts";
import { formatTime } from "../../language/object/time.ts";
import type { ConfigMap } from "../hosted/envelope/read-manifests.ts";
import type { EmbeddedProfile, HostedProtocol } from "../hosted/protocol.ts";
import { type HostedCluster, hostedClusterOf, isTuned, type NodePool } from "./api.ts";
import { type Outcome, profileConditions, validCondition, withConditions } from "./conditions.ts";
import { planCopies } from "./copies.ts";
import { pauseOf } from "./pause.ts";
import { payloadOf } from "./payload.ts";
import { planTuning, type TuningPlan } from "./plan-tuning.ts";
import { readConfig } from "./read-config.ts";
import { nameTooLong, readTuning } from "./read-tuning.ts";
import { reportedProblems } from "./reported.ts";
import { versionOfCluster, versionOfImage } from "./release.ts";
import { managementOf } from "./rollout/management.ts";
import { planRollout } from "./rollout/plan-rollout.ts";
import type { RolloutInput } from "./rollout/rollout-plan.ts";
import { lastPayload } from "./rollout/target.ts";

export interface NodePoolInput extends Omit<RolloutInput, "payload" | "version" | "isPaused"> {
  readonly nodePool: NodePool;
  readonly hostedCluster: HostedCluster;
  /** A ConfigMap of the namespace of the NodePool. */
  readonly configMap: (name: string) => ConfigMap | undefined;
  /** A ConfigMap of the control plane namespace. Those of the NodePool are in `controlPlane`. */
  readonly named?: ((name: string) => ConfigMap | undefined) | undefined;
  readonly protocol: HostedProtocol;
  /** Why nothing can be done for it. */
  readonly refused?: string | undefined;
}

export interface NodePoolDecision {
  readonly objects: readonly PlannedObject[];
  readonly prunes: readonly ObjectReference[];
  /** Annotations of the NodePool, which are written before its status. */
  readonly annotations: Readonly<Record<string, string>>;
  readonly status: NonNullable<NodePool["status"]>;
  readonly requeueAfterMs?: number | undefined;
}

/** One pass over a NodePool. What is wrong with one part of it keeps no other part from being done (hosted W-8). */
export function decideNodePool(input: NodePoolInput): NodePoolDecision {
  const { nodePool, hostedCluster, controlPlane, now } = input;
  const { name = "" } = nodePool.metadata;
  const isOn = isTuned(hostedCluster);
  const pause = pauseOf(nodePool, now);
  const config = readConfig({ ...input, isTuned: isOn });
  const refused = input.refused ?? nameTooLong(nodePool);
  if (refused !== undefined) {
    const tuned = validCondition("ValidTuningConfig", [{ configMap: "", message: refused }]);
    const outcomes = [pause.outcome, tuned, validCondition("ValidMachineConfig", config.problems)];
    return { ...nothing, status: statusWith(nodePool, outcomes, now) };
  }
  const given = readTuning(nodePool, input.configMap);
  const tuning = isOn ? planTuning({ ...input, observed: controlPlane, tuning: given }) : noTuning;
  const tuningProblems = [...tuning.problems, ...reportedProblems(name, given.tuneds, controlPlane)];
  const copies = planCopies({
    ...input,
    given: config.given,
    observed: controlPlane,
    planned: new Set(tuning.objects.map(({ object }) => object.metadata.name ?? "")),
  });
  const lastGood = (): ReturnType<typeof lastPayload> => lastPayload(name, controlPlane);
  const rollout = planRollout({
    ...input,
    payload: payloadOf({ nodePool: name, config, controlPlane, lastGood }),
    version: versionOf(nodePool, hostedCluster),
    isPaused: pause.isPaused,
  });
  const outcomes = [
    pause.outcome,
    ...(isOn ? [validCondition("ValidTuningConfig", tuningProblems)] : []),
    validCondition("ValidMachineConfig", [...config.problems, ...copies.problems]),
    ...profileConditions({
      ...input,
      profile: embeddedProfile(name, tuning),
      isLastGood: tuning.profile?.isLastGood === true,
      rollout: managementOf(nodePool).upgradeType === "InPlace" ? rollout.outcomes : [],
    }),
    ...rollout.outcomes,
  ];
  // What `pausedUntil` promises holds for tuning too (hosted W-7).
  const written = pause.isPaused ? [rollout] : [tuning, copies, rollout];
  const again = [pause.againInMs, rollout.requeueAfterMs].filter((ms) => ms !== undefined);
  return {
    objects: written.flatMap(({ objects }) => objects),
    prunes: written.flatMap(({ prunes }) => prunes),
    annotations: rollout.annotations,
    status: { ...statusWith(nodePool, outcomes, now), ...rollout.status },
    ...(again.length > 0 ? { requeueAfterMs: Math.min(...again) } : {}),
  };
}

/** The status of a NodePool whose HostedCluster does not exist, or not yet. */
export function statusWithoutCluster(nodePool: NodePool, now: number): NonNullable<NodePool["status"]> {
  const message = `HostedCluster ${hostedClusterOf(nodePool)} does not exist: create it, or create the NodePool anew with another spec.clusterName`;
  return statusWith(nodePool, [validCondition("ValidTuningConfig", [{ configMap: "", message }])], now);
}

const nothing = { objects: [], prunes: [], annotations: {} };
const noTuning: TuningPlan = { objects: [], prunes: [], problems: [], profile: undefined };

function versionOf({ spec }: NodePool, hostedCluster: HostedCluster): string {
  const { image } = spec?.release ?? {};
  return image === undefined ? versionOfCluster(hostedCluster) : versionOfImage(image);
}

function embeddedProfile(nodePool: string, { profile }: TuningPlan): EmbeddedProfile | undefined {
  return profile && { nodePool, profile: profile.object.metadata.name ?? "", from: profile.from };
}

function statusWith(
  { metadata, status }: NodePool,
  outcomes: readonly Outcome[],
  now: number,
): NonNullable<NodePool["status"]> {
  const at = { generation: metadata.generation, now: formatTime(now) };
  return { ...status, conditions: [...withConditions(status?.conditions ?? [], outcomes, at)] };
}
