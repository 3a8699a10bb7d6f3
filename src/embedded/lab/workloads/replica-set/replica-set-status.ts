import type { ReplicaSetCondition, ReplicaSetStatus as PublishedStatus } from "kubernetes-types/apps/v1.js";
import { omitUndefined } from "../../../../language/object/json.ts";
import { findCondition } from "../../../../language/object/condition.ts";
import { matchesLabels, fromLabelSelector } from "../../../../language/object/label-selector.ts";
import { formatTime } from "../../../../language/object/time.ts";
import { isAvailable, isReady } from "../pods/pod-state.ts";
import type { Pod, ReplicaSet } from "../workload-objects.ts";
import { replicasOf } from "../pods/replicas.ts";

/** With the field that `kubernetes-types` does not have yet. */
export type ReplicaSetStatus = PublishedStatus & { terminatingReplicas?: number };

export interface ReplicaSetStatusInput {
  replicaSet: ReplicaSet;
  active: readonly Pod[];
  /** Undefined for a ReplicationController, which does not count them. */
  terminating: number | undefined;
  /** The error of a pod that could not be created or deleted. */
  failure?: string | undefined;
  now: number;
}

/** Counts of zero are left out, as kube-controller-manager does. */
export function replicaSetStatus(input: ReplicaSetStatusInput): ReplicaSetStatus {
  const { replicaSet, active, terminating, now } = input;
  const minReadySeconds = replicaSet.spec?.minReadySeconds ?? 0;
  const templateLabels = fromLabelSelector({ matchLabels: replicaSet.spec?.template?.metadata?.labels ?? {} });
  const count = (holds: (pod: Pod) => boolean): number | undefined => active.filter(holds).length || undefined;
  return omitUndefined({
    replicas: active.length,
    fullyLabeledReplicas: count(({ metadata }) => matchesLabels(templateLabels, metadata.labels)),
    readyReplicas: count(isReady),
    availableReplicas: count((pod) => isAvailable(pod, minReadySeconds, now)),
    terminatingReplicas: terminating,
    observedGeneration: replicaSet.metadata.generation,
    conditions: conditions(input),
  });
}

function conditions({ replicaSet, active, failure, now }: ReplicaSetStatusInput): ReplicaSetCondition[] | undefined {
  const before = replicaSet.status?.conditions ?? [];
  const existing = findCondition(before, "ReplicaFailure");
  const others = (): ReplicaSetCondition[] => before.filter((condition) => condition !== existing);
  const list =
    failure === undefined ? others() : existing ? before : [...others(), failed(failure, replicaSet, active, now)];
  return list.length > 0 ? list : undefined;
}

function failed(message: string, replicaSet: ReplicaSet, active: readonly Pod[], now: number): ReplicaSetCondition {
  const reason = active.length < replicasOf(replicaSet) ? "FailedCreate" : "FailedDelete";
  return { type: "ReplicaFailure", status: "True", lastTransitionTime: formatTime(now), reason, message };
}
