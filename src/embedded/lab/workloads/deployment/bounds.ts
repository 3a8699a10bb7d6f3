import { countOf, replicasOf } from "../pods/replicas.ts";
import type { Deployment } from "../workload-objects.ts";

export interface Bounds {
  replicas: number;
  /** How many pods there may be over `replicas`. */
  surge: number;
  /** How many of `replicas` may be unavailable. */
  unavailable: number;
}

/** Percentages are rounded in favour of more pods. If both are 0, one pod may be unavailable, or no rollout could proceed. */
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
