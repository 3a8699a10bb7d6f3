import type { ObjectReference, PlannedObject } from "../../language/object/plan.ts";
import { formatTime } from "../../language/object/time.ts";
import type { ConfigMap } from "../hosted/envelope/read-manifests.ts";
import type { EmbeddedProfile, HostedProtocol } from "../hosted/protocol.ts";
import { type HostedCluster, isTuned, type NodePool } from "./api.ts";
import { type Outcome, profileConditions, validCondition, withConditions } from "./conditions.ts";
import { planCopies } from "./copies.ts";
import { pauseOf } from "./pause.ts";
import { planTuning, type TuningPlan } from "./plan-tuning.ts";
import { readConfig } from "./read-config.ts";
import { nameTooLong, readTuning } from "./read-tuning.ts";

export interface NodePoolInput {
  readonly nodePool: NodePool;
  readonly hostedCluster: HostedCluster;
  /** A ConfigMap of the namespace of the NodePool. */
  readonly configMap: (name: string) => ConfigMap | undefined;
  /** ConfigMaps of the control plane namespace. */
  readonly controlPlane: readonly ConfigMap[];
  /** The control plane namespace. */
  readonly namespace: string;
  readonly protocol: HostedProtocol;
  readonly now: number;
}

export interface NodePoolDecision {
  readonly objects: readonly PlannedObject[];
  readonly prunes: readonly ObjectReference[];
  readonly status: NonNullable<NodePool["status"]>;
  readonly requeueAfterMs?: number | undefined;
}

/** One pass over a NodePool. What is wrong with one part of it keeps no other part from being done. */
export function decideNodePool(input: NodePoolInput): NodePoolDecision {
  const { nodePool, now } = input;
  const pause = pauseOf(nodePool, now);
  const tuning = isTuned(input.hostedCluster) ? tuningOf(input) : noTuning;
  const config = readConfig({ ...input, isTuned: isTuned(input.hostedCluster) });
  const copies = planCopies({
    ...input,
    given: config.given,
    observed: input.controlPlane,
    planned: new Set(tuning.objects.map(({ object }) => object.metadata.name ?? "")),
  });
  const outcomes = [
    pause.outcome,
    ...(isTuned(input.hostedCluster) ? [validCondition("ValidTuningConfig", tuning.problems)] : []),
    validCondition("ValidMachineConfig", [...config.problems, ...copies.problems]),
    ...profileConditions({ ...input, profile: embeddedProfile(nodePool, tuning) }),
  ];
  const written = pause.isPaused ? [] : [tuning, copies];
  return {
    objects: written.flatMap(({ objects }) => objects),
    prunes: written.flatMap(({ prunes }) => prunes),
    status: statusWith(nodePool, outcomes, now),
    requeueAfterMs: pause.againInMs,
  };
}

const noTuning: TuningPlan = { objects: [], prunes: [], problems: [], profile: undefined };

function tuningOf(input: NodePoolInput): TuningPlan {
  const { nodePool, configMap, controlPlane: observed } = input;
  const tooLong = nameTooLong(nodePool);
  if (tooLong !== undefined) return { ...noTuning, problems: [{ configMap: "", message: tooLong }] };
  return planTuning({ ...input, observed, tuning: readTuning(nodePool, configMap) });
}

function embeddedProfile({ metadata }: NodePool, { profile }: TuningPlan): EmbeddedProfile | undefined {
  return (
    profile && {
      nodePool: metadata.name ?? "",
      profile: profile.object.metadata.name ?? "",
      from: profile.from,
    }
  );
}

function statusWith(
  { metadata, status }: NodePool,
  outcomes: readonly Outcome[],
  now: number,
): NonNullable<NodePool["status"]> {
  const at = { generation: metadata.generation, now: formatTime(now) };
  return { ...status, conditions: [...withConditions(status?.conditions ?? [], outcomes, at)] };
}
