import type { Taint } from "kubernetes-types/core/v1.js";
import type { Node } from "./node-object.ts";

export const notReadyTaint = { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" };

/** A node controller adds and removes it with the Ready condition. */
export function followsReadiness({ key }: Taint): boolean {
  return key === notReadyTaint.key || key === "node.kubernetes.io/unreachable";
}

/** The taints that do not follow from the Ready condition. */
export function lastingTaints({ spec }: Node): Taint[] {
  return (spec?.taints ?? []).filter((taint) => !followsReadiness(taint));
}
