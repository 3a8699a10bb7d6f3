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
 * The rules of a ClusterRole. A role with an aggregationRule has the rules of every ClusterRole that its selectors
 * match, transitively; its own `rules` are ignored.
 */
export function effectiveRules(role: KubeObject, all: readonly KubeObject[]): PolicyRule[] {
  const gathered: PolicyRule[][] = [];
  const seen = new Map([[role.metadata.name, role]]);
  // Iterating a Map also visits entries that are added meanwhile.
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

/** An invalid selector selects nothing: a mistake must not grant rights. */
function readSelector(selector: LabelSelectorObject): LabelSelector {
  try {
    return fromLabelSelector(selector);
  } catch (error) {
    if (error instanceof SelectorError) return nothing;
    throw error;
  }
}
