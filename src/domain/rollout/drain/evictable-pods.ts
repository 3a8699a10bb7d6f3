import {
  fromLabelSelector,
  type LabelSelectorObject,
  matchesLabels,
  SelectorError,
} from "../../../language/object/label-selector.ts";
import type { KubeObject } from "../../../language/object/meta.ts";

const mirror = "kubernetes.io/config.mirror";

/**
 * Whether a drain must wait until the pod is gone. Mirror pods are files of the node, and pods of a DaemonSet would be
 * created again at once: they tolerate the cordon.
 */
export function isEvictable({ metadata }: KubeObject): boolean {
  if (metadata.annotations?.[mirror] !== undefined) return false;
  return !metadata.ownerReferences?.some(({ controller, kind }) => controller && kind === "DaemonSet");
}

export interface DisruptionBudget extends KubeObject {
  spec?: { selector?: LabelSelectorObject | null };
}

/** The PodDisruptionBudgets that select a pod, as `namespace/name`. */
export function budgetsOf({ metadata }: KubeObject, budgets: readonly DisruptionBudget[]): string[] {
  return budgets
    .filter((budget) => budget.metadata.namespace === metadata.namespace && selects(budget, metadata.labels))
    .map((budget) => `${budget.metadata.namespace}/${budget.metadata.name}`);
}

function selects({ spec }: DisruptionBudget, labels: Record<string, string> | undefined): boolean {
  if (!spec?.selector) return false;
  try {
    return matchesLabels(fromLabelSelector(spec.selector), labels);
  } catch (error) {
    if (error instanceof SelectorError) return false;
    throw error;
  }
}
