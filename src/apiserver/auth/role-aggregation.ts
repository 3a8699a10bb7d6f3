import { at, get, isObject } from "../../object/json.ts";
import type { KubeObject } from "../../object/meta.ts";
import { rulesIn, type PolicyRule } from "./policy-rule.ts";

/**
 * The rules of a ClusterRole. One with an aggregation rule has those of every ClusterRole its selectors pick, and of
 * those they pick in turn, whatever its own `rules` say.
 */
export function effectiveRules(role: KubeObject, all: readonly KubeObject[]): PolicyRule[] {
  const rules: PolicyRule[] = [];
  const seen = new Set<KubeObject>([role]);
  // A set is walked in the order of insertion, also what is inserted while walking.
  for (const current of seen) {
    const selectors = at(current, "aggregationRule", "clusterRoleSelectors");
    if (!isObject(get(current, "aggregationRule"))) rules.push(...rulesIn(get(current, "rules")));
    else if (Array.isArray(selectors))
      for (const other of all)
        if (selectors.some((selector) => selects(selector, other.metadata.labels))) seen.add(other);
  }
  return rules;
}

/** A LabelSelector. An empty one selects everything; one we cannot read selects nothing. */
export function selects(selector: unknown, labels: Readonly<Record<string, string>> | undefined): boolean {
  if (!isObject(selector)) return false;
  const matchLabels = get(selector, "matchLabels");
  if (isObject(matchLabels))
    for (const [key, value] of Object.entries(matchLabels)) if (get(labels, key) !== value) return false;
  const expressions = get(selector, "matchExpressions");
  return !Array.isArray(expressions) || expressions.every((expression) => holds(expression, labels));
}

function holds(expression: unknown, labels: Readonly<Record<string, string>> | undefined): boolean {
  const key = get(expression, "key");
  if (typeof key !== "string") return false;
  const value = get(labels, key);
  const values = get(expression, "values");
  const listed = Array.isArray(values) && value !== undefined && values.includes(value as string);
  switch (get(expression, "operator")) {
    case "In":
      return listed;
    case "NotIn":
      return !listed;
    case "Exists":
      return value !== undefined;
    case "DoesNotExist":
      return value === undefined;
    default:
      return false;
  }
}
