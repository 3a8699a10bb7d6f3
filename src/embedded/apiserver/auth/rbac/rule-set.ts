import { matchesPath, matchesResource, namesObject, type PolicyRule } from "./policy-rule.ts";
import type { Attributes } from "../user.ts";

/** A rule and the binding that gives it, in the words of a decision. */
export interface Grant {
  readonly rule: PolicyRule;
  readonly by: string;
}

/** Distinct requests remembered at a time: paths and resources are the client's to invent. */
const MAX_REMEMBERED = 1000;

/** What one user may do in one namespace, or everywhere. */
export class RuleSet {
  static readonly empty = new RuleSet([], []);

  readonly grants: readonly Grant[];
  readonly errors: readonly string[];
  /** Verb, group and resource, or verb and path → the grants that speak of them. */
  readonly #matching = new Map<string, readonly Grant[]>();

  constructor(grants: readonly Grant[], errors: readonly string[]) {
    this.grants = grants;
    this.errors = errors;
  }

  /** Who allows it, `undefined` if nobody does. */
  allows(attributes: Attributes): string | undefined {
    if (this.grants.length === 0) return undefined;
    const matching = this.#speakingOf(attributes);
    if (attributes.type === "path") return matching[0]?.by;
    for (const grant of matching) if (namesObject(grant.rule, attributes.name)) return grant.by;
    return undefined;
  }

  #speakingOf(attributes: Attributes): readonly Grant[] {
    // A review may put any character into any part: only with their lengths are two requests told apart.
    const key =
      attributes.type === "path"
        ? `${attributes.verb.length} ${attributes.verb} ${attributes.path}`
        : `${attributes.verb.length}.${attributes.group.length}.${attributes.resource.length} ${attributes.verb}${attributes.group}${attributes.resource}/${attributes.subresource}`;
    const known = this.#matching.get(key);
    if (known) return known;
    const found = this.grants.filter(({ rule }) =>
      attributes.type === "path"
        ? matchesPath(rule, attributes.verb, attributes.path)
        : matchesResource(rule, attributes.verb, attributes.group, attributes.resource, attributes.subresource),
    );
    if (this.#matching.size >= MAX_REMEMBERED) this.#matching.clear();
    this.#matching.set(key, found);
    return found;
  }
}
