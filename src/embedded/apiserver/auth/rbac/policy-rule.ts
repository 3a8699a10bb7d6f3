import { isObject } from "../../../../language/object/json.ts";
import type { Attributes } from "../user.ts";

type ResourceAttributes = Extract<Attributes, { type: "resource" }>;

/** One rule of a role: for resources in API groups, or for non-resource URLs. */
export interface PolicyRule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

const none: readonly string[] = [];

/** The rules in a stored object. Validation refuses anything that is not a rule; here it grants nothing. */
export function rulesIn(rules: unknown): PolicyRule[] {
  return Array.isArray(rules)
    ? rules.filter((rule): rule is PolicyRule => isObject(rule) && Array.isArray(rule["verbs"]))
    : [];
}

const matchesAny = (allowed: readonly string[] | undefined, value: string): boolean =>
  allowed !== undefined && (allowed.includes("*") || allowed.includes(value));

/** Whether the rule covers this verb on this resource; `namesObject` checks the object. */
export function matchesResource(
  rule: PolicyRule,
  { verb, group, resource, subresource }: Pick<ResourceAttributes, "verb" | "group" | "resource" | "subresource">,
): boolean {
  if (!matchesAny(rule.verbs, verb) || !matchesAny(rule.apiGroups, group)) return false;
  const resources = rule.resources ?? none;
  if (resources.includes("*")) return true;
  if (!subresource) return resources.includes(resource);
  return resources.includes(`${resource}/${subresource}`) || resources.includes(`*/${subresource}`);
}

export function namesObject(rule: PolicyRule, name: string): boolean {
  return !rule.resourceNames?.length || rule.resourceNames.includes(name);
}

export function matchesPath(rule: PolicyRule, verb: string, path: string): boolean {
  return matchesAny(rule.verbs, verb) && (rule.nonResourceURLs ?? none).some((url) => urlCovers(url, path));
}

/** `*`, the path itself, or a prefix that ends in `*`. */
function urlCovers(url: string, path: string): boolean {
  if (url === path) return true;
  let end = url.length;
  while (end > 0 && url[end - 1] === "*") end--;
  return end < url.length && path.startsWith(url.slice(0, end));
}

/** Combinations of a rule's lists can be billions. After this many comparisons the rest counts as not covered. */
const maxComparisons = 1_000_000;
/** Bounds the length of the message. */
const maxUncovered = 1_000;

/** The parts of `wanted` that no rule of `held` covers: one group, resource, name and verb each. */
export function uncovered(held: readonly PolicyRule[], wanted: readonly PolicyRule[]): PolicyRule[] {
  const missing: PolicyRule[] = [];
  let left = maxComparisons;
  for (const rule of wanted) {
    if (held.some((own) => covers(own, rule))) continue;
    for (const part of breakDown(rule)) {
      left -= held.length + 1;
      if (left > 0 && held.some((own) => covers(own, part))) continue;
      missing.push(part);
      if (missing.length >= maxUncovered) return missing;
    }
  }
  return missing;
}

function* breakDown(rule: PolicyRule): Generator<PolicyRule> {
  for (const group of rule.apiGroups ?? none)
    for (const resource of rule.resources ?? none)
      for (const verb of rule.verbs) {
        const part = { verbs: [verb], apiGroups: [group], resources: [resource] };
        if (rule.resourceNames?.length) for (const name of rule.resourceNames) yield { ...part, resourceNames: [name] };
        else yield part;
      }
  for (const url of rule.nonResourceURLs ?? none)
    for (const verb of rule.verbs) yield { verbs: [verb], nonResourceURLs: [url] };
}

const holdsAll = (held: readonly string[] = none, wanted: readonly string[] = none): boolean =>
  held.includes("*") || wanted.every((value) => held.includes(value));

function covers(held: PolicyRule, part: PolicyRule): boolean {
  return (
    holdsAll(held.verbs, part.verbs) &&
    holdsAll(held.apiGroups, part.apiGroups) &&
    (part.resources ?? none).every((resource) => resourceCovers(held.resources ?? none, resource)) &&
    (part.nonResourceURLs ?? none).every((url) => (held.nonResourceURLs ?? none).some((own) => urlCovers(own, url))) &&
    (!held.resourceNames?.length || namesAreHeld(held.resourceNames, part.resourceNames ?? none))
  );
}

/** Rights on named objects never cover rights on all. `*` is not a wildcard in resourceNames. */
const namesAreHeld = (held: readonly string[], wanted: readonly string[]): boolean =>
  wanted.length > 0 && wanted.every((name) => held.includes(name));

function resourceCovers(held: readonly string[], resource: string): boolean {
  if (held.includes("*") || held.includes(resource)) return true;
  const slash = resource.indexOf("/");
  return slash >= 0 && held.includes(`*/${resource.slice(slash + 1)}`);
}

/** Joins the verbs of parts that are otherwise equal, and formats each as kube-apiserver's message does, sorted. */
export function describeParts(parts: readonly PolicyRule[]): string[] {
  const joined = new Map<string, { part: PolicyRule; verbs: string[] }>();
  for (const part of parts) {
    const key = part.nonResourceURLs
      ? `${joined.size}`
      : JSON.stringify([part.apiGroups, part.resources, part.resourceNames]);
    const seen = joined.get(key);
    if (seen) for (const verb of part.verbs) seen.verbs.push(verb);
    else joined.set(key, { part, verbs: [...part.verbs] });
  }
  return [...joined.values()].map(({ part, verbs }) => describe({ ...part, verbs })).toSorted();
}

function describe(rule: PolicyRule): string {
  const fields: [string, readonly string[] | undefined][] = [
    ["APIGroups", rule.apiGroups],
    ["Resources", rule.resources],
    ["NonResourceURLs", rule.nonResourceURLs],
    ["ResourceNames", rule.resourceNames],
    ["Verbs", rule.verbs],
  ];
  const shown = fields.flatMap(([name, values]) => (values?.length ? [`${name}:${quotedList(values)}`] : []));
  return `{${shown.join(", ")}}`;
}

/** Go's `%q` of a list of strings. */
export function quotedList(values: readonly string[]): string {
  return `[${values.map((value) => JSON.stringify(value)).join(" ")}]`;
}
