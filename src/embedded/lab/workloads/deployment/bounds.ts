import { countOf, replicasOf } from "../pods/replicas.ts";
import type { Deployment } from "../workload-objects.ts";

export interface Bounds {
  replicas: number;
  /** The most pods over `replicas`. */
  surge: number;
  /** The most pods under `replicas` that may be missing or not available. */
  unavailable: number;
}

/** Shares round in favour of more pods; where both come to nothing, one may be missing, or nothing could ever move. */
export function boundsOf(deployment: Deployment): Bounds {
  const replicas = replicasOf(deployment);
  if (!isRolling(deployment)) return { replicas, surge: 0, unavailable: 0 };
  const { maxSurge, maxUnavailable } = deployment.spec?.strategy?.rollingUpdate ?? {};
  const surge = countOf(maxSurge, replicas, "up");
  const unavailable = countOf(maxUnavailable, replicas, "down");
  return {
    replicas,
    surge,
    unavailable: Math.min(replicas, surge === 0 && unavailable === 0 ? 1 : unavailable),
  };
}

export function isRolling({ spec }: Deployment): boolean {
  return spec?.strategy?.type !== "Recreate";
}
