import { at, get, isObject } from "../../../../language/object/json.ts";
import {
  fromLabelSelector,
  matchesLabels,
  nothing,
  SelectorError,
  type LabelSelector,
  type LabelSelectorObject,
} from "../../../../language/object/label-selector.ts";
import type { KubeObject } from "../../../../language/object/meta.ts";
import { rulesIn, type PolicyRule } from "./policy-rule.ts";

/**
 * The rules of a ClusterRole. One with an aggregation rule has those of every ClusterRole its selectors pick, and of
 * those they pick in turn, whatever its own `rules` say.
 */
export function effectiveRules(role: KubeObject, all: readonly KubeObject[]): PolicyRule[] {
  const gathered: PolicyRule[][] = [];
  const seen = new Map([[role.metadata.name, role]]);
  // A map is walked in the order of insertion, also what is inserted while walking.
  for (const current of seen.values()) {
    if (!isObject(get(current, "aggregationRule"))) {
      gathered.push(rulesIn(get(current, "rules")));
      continue;
    }
    const selectors = selectorsIn(at(current, "aggregationRule", "clusterRoleSelectors"));
    for (const other of all) {
      const { name, labels } = other.metadata;
      if (!seen.has(name) && selectors.some((selector) => matchesLabels(selector, labels))) seen.set(name, other);
    }
  }
  return gathered.flat();
}

function selectorsIn(value: unknown): LabelSelector[] {
  return Array.isArray(value) ? value.map((selector: LabelSelectorObject) => readSelector(selector)) : [];
}

/** One that cannot be read selects nothing: a grant must not come out of a mistake. */
function readSelector(selector: LabelSelectorObject): LabelSelector {
  try {
    return fromLabelSelector(selector);
  } catch (error) {
    if (error instanceof SelectorError) return nothing;
    throw error;
  }
}
