import { matchesPath, matchesResource, namesObject, type PolicyRule } from "./policy-rule.ts";
import type { Attributes } from "../user.ts";

/** A rule, and the binding that grants it as a decision's reason names it. */
export interface Grant {
  readonly rule: PolicyRule;
  readonly by: string;
}

/** Bounds the cache: clients can invent any number of paths and resources. */
const MAX_REMEMBERED = 1000;

/** The rules of one user in one namespace, or cluster-wide. */
export class RuleSet {
  static readonly empty = new RuleSet([], []);

  readonly grants: readonly Grant[];
  readonly errors: readonly string[];
  /** Verb, group and resource, or verb and path → the matching grants. */
  readonly #matching = new Map<string, readonly Grant[]>();

  constructor(grants: readonly Grant[], errors: readonly string[]) {
    this.grants = grants;
    this.errors = errors;
  }

  /** The binding that allows the request, `undefined` if none does. */
  allows(attributes: Attributes): string | undefined {
    if (this.grants.length === 0) return undefined;
    const matching = this.#grantsFor(attributes);
    if (attributes.type === "path") return matching[0]?.by;
    for (const grant of matching) if (namesObject(grant.rule, attributes.name)) return grant.by;
    return undefined;
  }

  #grantsFor(attributes: Attributes): readonly Grant[] {
    // An access review may contain any characters: only the lengths make the key unambiguous.
    const key =
      attributes.type === "path"
        ? `${attributes.verb.length} ${attributes.verb} ${attributes.path}`
        : `${attributes.verb.length}.${attributes.group.length}.${attributes.resource.length} ${attributes.verb}${attributes.group}${attributes.resource}/${attributes.subresource}`;
    const known = this.#matching.get(key);
    if (known) return known;
    const found = this.grants.filter(({ rule }) =>
      attributes.type === "path"
        ? matchesPath(rule, attributes.verb, attributes.path)
        : matchesResource(rule, attributes),
    );
    if (this.#matching.size >= MAX_REMEMBERED) this.#matching.clear();
    this.#matching.set(key, found);
    return found;
  }
}
