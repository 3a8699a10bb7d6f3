import type { StatefulSetStatus } from "kubernetes-types/apps/v1.js";
import { omitUndefined } from "../../../../language/object/json.ts";
import { isAvailable, isReady, isTerminating } from "../pods/pod-state.ts";
import { replicasOf } from "../pods/replicas.ts";
import type { Pod, StatefulSet } from "../workload-objects.ts";
import { podRevision } from "./stateful-pod.ts";

export interface StatefulSetCounts {
  set: StatefulSet;
  pods: readonly Pod[];
  current: string;
  update: string;
  collisions: number;
  /** Pods of the current revision that this pass deletes, to make them of the update revision. */
  replaced: number;
  now: number;
}

export function statefulSetStatus(counts: StatefulSetCounts): StatefulSetStatus {
  const { set, pods, current, update, collisions, replaced, now } = counts;
  const minReadySeconds = set.spec?.minReadySeconds ?? 0;
  const count = (holds: (pod: Pod) => boolean): number => pods.filter(holds).length;
  const running = (pod: Pod): boolean => pod.status?.phase === "Running" && isReady(pod);
  const of = (revision: string): number => count((pod) => !isTerminating(pod) && podRevision(pod) === revision);
  const replicas = pods.length;
  const readyReplicas = count(running);
  const updatedReplicas = of(update);
  const wanted = replicasOf(set);
  const isRolled =
    set.spec?.updateStrategy?.type !== "OnDelete" &&
    updatedReplicas === wanted &&
    readyReplicas === wanted &&
    replicas === wanted;
  return omitUndefined({
    observedGeneration: set.metadata.generation,
    replicas,
    readyReplicas: readyReplicas || undefined,
    availableReplicas: count((pod) => running(pod) && isAvailable(pod, minReadySeconds, now)),
    currentReplicas: (isRolled ? updatedReplicas : Math.max(0, of(current) - replaced)) || undefined,
    updatedReplicas: updatedReplicas || undefined,
    currentRevision: isRolled ? update : current,
    updateRevision: update,
    collisionCount: collisions,
    conditions: set.status?.conditions,
  });
}
