import { omitUndefined } from "../../../../language/object/json.ts";
import { isAvailable, isReady } from "../pods/pod-state.ts";
import type { DaemonSet } from "../workload-objects.ts";
import { revisionLabel } from "./daemon-pod.ts";
import type { DaemonSetInput } from "./daemon-nodes.ts";

type Status = NonNullable<DaemonSet["status"]>;

/** Counts nodes. Optional counts of zero are left out, as kube-controller-manager does. */
export function daemonSetStatus(input: Omit<DaemonSetInput, "backoffMs" | "stray">): Status {
  const { daemonSet, nodes, hash, collisions, now } = input;
  const minReadySeconds = daemonSet.spec?.minReadySeconds ?? 0;
  const count = { desired: 0, current: 0, misscheduled: 0, ready: 0, updated: 0, available: 0 };
  for (const { fit, pods } of nodes) {
    const [oldest] = pods;
    if (fit !== "run") {
      if (oldest) count.misscheduled++;
      continue;
    }
    count.desired++;
    if (!oldest) continue;
    count.current++;
    if (isReady(oldest)) count.ready++;
    if (isAvailable(oldest, minReadySeconds, now)) count.available++;
    if (oldest.metadata.labels?.[revisionLabel] === hash) count.updated++;
  }
  const { collisionCount, conditions } = daemonSet.status ?? {};
  return omitUndefined({
    observedGeneration: daemonSet.metadata.generation,
    desiredNumberScheduled: count.desired,
    currentNumberScheduled: count.current,
    numberMisscheduled: count.misscheduled,
    numberReady: count.ready,
    updatedNumberScheduled: count.updated || undefined,
    numberAvailable: count.available || undefined,
    numberUnavailable: count.desired - count.available || undefined,
    collisionCount: collisions || collisionCount,
    conditions,
  });
}
