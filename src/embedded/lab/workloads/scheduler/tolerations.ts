import type { Taint, Toleration } from "kubernetes-types/core/v1.js";

export function tolerates(toleration: Toleration, taint: Taint): boolean {
  if (toleration.effect && toleration.effect !== taint.effect) return false;
  if (toleration.key && toleration.key !== taint.key) return false;
  if (toleration.operator === "Exists") return true;
  return (toleration.value ?? "") === (taint.value ?? "") && Boolean(toleration.key);
}

/** The first taint with one of the effects that no toleration tolerates. */
export function untolerated(
  taints: readonly Taint[],
  tolerations: readonly Toleration[],
  effects: readonly string[],
): Taint | undefined {
  return taints.find(
    (taint) => effects.includes(taint.effect) && !tolerations.some((toleration) => tolerates(toleration, taint)),
  );
}
