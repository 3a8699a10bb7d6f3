import type { NodeCondition, Taint } from "kubernetes-types/core/v1.js";
import { parseTime } from "../../../../language/object/time.ts";
import { isReady, isTerminating } from "../pods/pod-state.ts";
import { tolerates } from "../../../../language/object/scheduling/tolerations.ts";
import type { Node, Pod } from "../workload-objects.ts";
import { readiness, taintsByCondition, unknownConditions } from "./node-conditions.ts";

export interface NodeLifeCycleInput {
  node: Node;
  /** All pods of the node. */
  pods: readonly Pod[];
  /** Time since the last sign of life. */
  silentMs: number;
  /** Whether any node of the cluster is ready. */
  anyReady: boolean;
  now: number;
}

export interface NodeLifeCyclePlan {
  /** Conditions that become Unknown. The taints follow in the next pass, once the cache shows them. */
  unknown: NodeCondition[];
  /** Pods that lose their Ready condition: services must not send traffic to an unready node. */
  unready: Pod[];
  /** All taints of the node, if they change. */
  taints: Taint[] | undefined;
  evict: Pod[];
  requeueAfterMs: number | undefined;
}

/** How long a node may be silent: kube-controller-manager's `--node-monitor-grace-period`. */
export const graceMs = 40_000;

/** Which conditions and taints a node gets, and which pods its taints evict. */
export function decideNodeLifeCycle({ node, pods, silentMs, anyReady, now }: NodeLifeCycleInput): NodeLifeCyclePlan {
  const silent = silentMs >= graceMs;
  const { evict, nextMs } = evictions(node.spec?.taints ?? [], pods, now);
  const next = Math.min(nextMs, silent ? Infinity : graceMs - silentMs);
  return {
    unknown: silent ? unknownConditions(node, now) : [],
    unready: readiness(node) === "True" ? [] : pods.filter((pod) => isReady(pod) && !isTerminating(pod)),
    // With no ready node at all, the controller itself is more likely cut off: then no pod is evicted.
    taints: taintsByCondition(node, { evicts: anyReady, now }),
    evict,
    requeueAfterMs: Number.isFinite(next) ? Math.max(1, next) : undefined,
  };
}

/** The pods that NoExecute taints evict now, and the milliseconds until the next one. */
function evictions(taints: readonly Taint[], pods: readonly Pod[], now: number): { evict: Pod[]; nextMs: number } {
  const evicting = taints.filter(({ effect }) => effect === "NoExecute");
  const evict: Pod[] = [];
  let next = Infinity;
  for (const pod of evicting.length > 0 ? pods : []) {
    if (isTerminating(pod)) continue;
    const at = Math.min(...evicting.map((taint) => toleratedUntil(pod, taint, now)));
    if (at <= now) evict.push(pod);
    else next = Math.min(next, at);
  }
  return { evict, nextMs: next - now };
}

/** Counted from the taint's `timeAdded`, so that a restarted controller does not count anew. */
function toleratedUntil({ spec }: Pod, taint: Taint, now: number): number {
  const toleration = spec?.tolerations?.find((one) => tolerates(one, taint));
  if (!toleration) return -Infinity;
  if (toleration.tolerationSeconds === undefined) return Infinity;
  return (parseTime(taint.timeAdded ?? "") ?? now) + Math.max(0, toleration.tolerationSeconds) * 1000;
}
