import type { Registry } from "../../registry.ts";
import type { Resource } from "../../resource.ts";
import type { Attributes } from "../admission.ts";
import { isNamespace } from "./selectors.ts";

/** `RuleWithOperations`, with the resourceNames of policies. */
export interface Rule {
  readonly operations?: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly apiVersions?: readonly string[];
  /** `pods`, `pods/status`, or `*` for either part. */
  readonly resources?: readonly string[];
  readonly scope?: string;
  readonly resourceNames?: readonly string[];
}

/** The attributes that rules match. */
export type Named = Pick<Attributes, "operation" | "resource" | "subresource" | "name">;

/** The writes that a webhook or policy matches. */
export interface Rules {
  readonly rules: readonly Rule[];
  /** Writes that these match are excluded. */
  readonly exclude?: readonly Rule[] | undefined;
  readonly matchPolicy?: string | undefined;
}

/**
 * The resource in the version that a rule matches, or undefined. With matchPolicy Equivalent it may be another version
 * than the client's; the webhook or policy then sees the object in that version.
 */
export function matchesRules(
  { rules, exclude = [], matchPolicy }: Rules,
  attributes: Named,
  registry: Pick<Registry, "find">,
): Resource | undefined {
  if (exclude.length > 0 && firstMatch(exclude, matchPolicy, attributes, registry)) return undefined;
  return firstMatch(rules, matchPolicy, attributes, registry);
}

function firstMatch(
  rules: readonly Rule[],
  matchPolicy: string | undefined,
  attributes: Named,
  registry: Pick<Registry, "find">,
): Resource | undefined {
  const { resource } = attributes;
  const inOtherVersions: Rule[] = [];
  for (const rule of rules) {
    if (!matchesButForVersion(rule, attributes)) continue;
    if (holds(rule.apiVersions, resource.version)) return resource;
    inOtherVersions.push(rule);
  }
  if (matchPolicy !== "Equivalent") return undefined;
  for (const { apiVersions = [] } of inOtherVersions)
    for (const version of apiVersions) {
      const equivalent = registry.find(resource.group, version, resource.plural);
      if (equivalent) return equivalent;
    }
  return undefined;
}

function matchesButForVersion(rule: Rule, attributes: Named): boolean {
  const { resource, operation } = attributes;
  return (
    holds(rule.operations, operation) &&
    holds(rule.apiGroups, resource.group) &&
    namesResource(rule, attributes) &&
    isInScope(rule.scope, attributes) &&
    (!rule.resourceNames?.length || rule.resourceNames.includes(attributes.name))
  );
}

function holds(items: readonly string[] | undefined, wanted: string): boolean {
  return items !== undefined && (items.includes(wanted) || items.includes("*"));
}

function namesResource({ resources = [] }: Rule, { resource, subresource }: Named): boolean {
  return resources.some((named) => {
    const slash = named.indexOf("/");
    const main = slash < 0 ? named : named.slice(0, slash);
    const part = slash < 0 ? "" : named.slice(slash + 1);
    return (main === "*" || main === resource.plural) && (part === "*" || part === subresource);
  });
}

function isInScope(scope: string | undefined, { resource }: Named): boolean {
  if (scope === undefined || scope === "*") return true;
  const clusterWide = !resource.namespaced || isNamespace(resource);
  return scope === "Cluster" ? clusterWide : scope === "Namespaced" && !clusterWide;
}
