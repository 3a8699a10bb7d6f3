import type { LabelSelectorObject } from "../../../../language/object/label-selector.ts";
import type { Registry } from "../../registry.ts";
import type { Lookup, Resource } from "../../resource.ts";
import type { Attributes } from "../admission.ts";
import { matchesRules, type Rule, type Rules } from "./rules.ts";
import { compileSelectors, matchesSelectors, type Selectors } from "./selectors.ts";

/** `MatchResources` of a policy or binding. */
export interface MatchResources {
  readonly resourceRules?: readonly Rule[];
  readonly excludeResourceRules?: readonly Rule[];
  readonly matchPolicy?: string;
  readonly namespaceSelector?: LabelSelectorObject;
  readonly objectSelector?: LabelSelectorObject;
}

export interface CompiledMatch {
  readonly rules: Rules;
  readonly selectors: Selectors;
}

/** Without rules every write matches. */
export function compileMatchResources(source: MatchResources): CompiledMatch {
  const { resourceRules = [], excludeResourceRules = [], matchPolicy } = source;
  const rules = resourceRules.length > 0 ? resourceRules : anything;
  return {
    rules: { rules, exclude: excludeResourceRules, matchPolicy },
    selectors: compileSelectors(source),
  };
}

/** The resource in the version that matched; undefined if the write does not match. */
export function matchedResource(
  { rules, selectors }: CompiledMatch,
  attributes: Attributes,
  objects: Lookup,
  registry: Pick<Registry, "find">,
): Resource | undefined {
  const matched = matchesRules(rules, attributes, registry);
  return matched && matchesSelectors(selectors, attributes, objects) ? matched : undefined;
}

const anything: readonly Rule[] = [{ operations: ["*"], apiGroups: ["*"], apiVersions: ["*"], resources: ["*/*"] }];
