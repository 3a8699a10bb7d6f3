import {
  fromLabelSelector,
  type LabelSelectorObject,
  matchesLabels,
  SelectorError,
} from "../../../language/object/label-selector.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { parseTime } from "../../../language/object/time.ts";

const mirror = "kubernetes.io/config.mirror";

/**
 * Whether a drain must wait until the pod is gone. Mirror pods are files of the node, and pods of a DaemonSet would be
 * created again at once: they tolerate the cordon.
 */
export function isEvictable({ metadata }: KubeObject): boolean {
  if (metadata.annotations?.[mirror] !== undefined) return false;
  return !metadata.ownerReferences?.some(({ controller, kind }) => controller && kind === "DaemonSet");
}

/** From when on a pod that does not end is in the way. */
const overstayMs = 30_000;

/** Why a pod that was asked to go is still there, if it should have gone by now. Its time of deletion includes the grace period. */
export function overstay({ metadata }: KubeObject, now: string): string | undefined {
  const { deletionTimestamp = "", finalizers = [] } = metadata;
  if ((parseTime(now) ?? 0) - (parseTime(deletionTimestamp) ?? Infinity) < overstayMs) return undefined;
  const because =
    finalizers.length > 0 ? `finalizers keep it: ${finalizers.join(", ")}` : "its kubelet has not ended it";
  return `should have ended at ${deletionTimestamp}: ${because}`;
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
