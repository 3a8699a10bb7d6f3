import { get } from "../../../../language/object/json.ts";
import type { KubeObject } from "../../../../language/object/meta.ts";
import type { ObjectReader } from "../../storage/store-reader.ts";
import { rulesIn, type PolicyRule } from "./policy-rule.ts";
import { effectiveRules } from "./role-aggregation.ts";
import { describeGrant, readBinding, subjectFor, type Binding, type RoleReference } from "./role-binding.ts";
import { RuleSet, type Grant } from "./rule-set.ts";
import type { Attributes, Authorizer, Decision, User } from "../user.ts";

const ROLES = "roles.rbac.authorization.k8s.io";
const CLUSTER_ROLES = "clusterroles.rbac.authorization.k8s.io";
const ROLE_BINDINGS = "rolebindings.rbac.authorization.k8s.io";
const CLUSTER_ROLE_BINDINGS = "clusterrolebindings.rbac.authorization.k8s.io";

/** Bounds the cache: impersonation and access reviews can name any number of users. */
const MAX_USERS = 1000;

/** Members may do everything, without any role: the way to repair broken roles and bindings. */
export const SUPERUSERS = "system:masters";

export interface HeldRules {
  readonly rules: PolicyRule[];
  /** Roles that bindings name but that do not exist. */
  readonly errors: string[];
}

/**
 * Role-based access control over the stored roles and bindings. What a user may do is compiled once and kept until any
 * of the four collections changes.
 */
export class RbacAuthorizer implements Authorizer {
  readonly #objects: ObjectReader;
  #policy: Policy | undefined;

  constructor(objects: ObjectReader) {
    this.#objects = objects;
  }

  authorize(user: User, attributes: Attributes): Decision {
    if (user.groups.includes(SUPERUSERS)) return { allowed: true, reason: "" };
    const policy = this.#current();
    const cluster = policy.ruleSet(user, "");
    const local =
      attributes.type === "resource" && attributes.namespace ? policy.ruleSet(user, attributes.namespace) : undefined;
    const grant = cluster.allows(attributes) ?? local?.allows(attributes);
    if (grant) return { allowed: true, reason: `RBAC: allowed by ${grant}` };
    const errors = [...cluster.errors, ...(local?.errors ?? [])];
    return { allowed: false, reason: errors.length > 0 ? `RBAC: ${joined(errors)}` : "" };
  }

  /** Every rule the user holds in the namespace, cluster-wide rules first; for "" only those. */
  rulesFor(user: User, namespace: string): HeldRules {
    const policy = this.#current();
    const sets = [policy.ruleSet(user, ""), ...(namespace ? [policy.ruleSet(user, namespace)] : [])];
    return {
      rules: sets.flatMap((set) => set.grants.map(({ rule }) => rule)),
      errors: sets.flatMap((set) => set.errors),
    };
  }

  /** The rules of the role a binding in `namespace` refers to; `undefined` if there is no such role. */
  rulesOf(role: RoleReference, namespace: string): readonly PolicyRule[] | undefined {
    return this.#current().rulesOf(role, namespace);
  }

  #current(): Policy {
    if (!this.#policy?.isCurrent()) this.#policy = new Policy(this.#objects);
    return this.#policy;
  }
}

export const joined = (errors: readonly string[]): string =>
  errors.length === 1 ? (errors[0] ?? "") : `[${errors.join(", ")}]`;

/** Everything derived from one state of the four collections. */
class Policy {
  readonly #objects: ObjectReader;
  readonly #revisions: readonly number[];
  readonly #bindings = new Map<string, Binding[]>();
  readonly #clusterRules = new Map<string, readonly PolicyRule[]>();
  readonly #byUser = new WeakMap<User, Map<string, RuleSet>>();
  readonly #byIdentity = new Map<string, Map<string, RuleSet>>();

  constructor(objects: ObjectReader) {
    this.#objects = objects;
    this.#revisions = revisionsOf(objects);
    for (const object of [...objects.list(CLUSTER_ROLE_BINDINGS), ...objects.list(ROLE_BINDINGS)]) {
      const binding = readBinding(object);
      const there = this.#bindings.get(binding.namespace);
      if (there) there.push(binding);
      else this.#bindings.set(binding.namespace, [binding]);
    }
  }

  isCurrent(): boolean {
    const objects = this.#objects;
    return (
      this.#revisions[0] === objects.changedAt(ROLES) &&
      this.#revisions[1] === objects.changedAt(CLUSTER_ROLES) &&
      this.#revisions[2] === objects.changedAt(ROLE_BINDINGS) &&
      this.#revisions[3] === objects.changedAt(CLUSTER_ROLE_BINDINGS)
    );
  }

  ruleSet(user: User, namespace: string): RuleSet {
    if (namespace && !this.#bindings.has(namespace)) return RuleSet.empty;
    const sets = this.#setsOf(user);
    let set = sets.get(namespace);
    if (!set) {
      set = this.#compile(user, namespace);
      sets.set(namespace, set);
    }
    return set;
  }

  /** Equal users share their rule sets; the WeakMap by object is the fast path. */
  #setsOf(user: User): Map<string, RuleSet> {
    let sets = this.#byUser.get(user);
    if (sets) return sets;
    const identity = JSON.stringify([user.name, user.groups]);
    sets = this.#byIdentity.get(identity);
    if (!sets) {
      if (this.#byIdentity.size >= MAX_USERS) this.#byIdentity.clear();
      sets = new Map();
      this.#byIdentity.set(identity, sets);
    }
    this.#byUser.set(user, sets);
    return sets;
  }

  #compile(user: User, namespace: string): RuleSet {
    const grants: Grant[] = [];
    const errors: string[] = [];
    for (const binding of this.#bindings.get(namespace) ?? []) {
      const subject = subjectFor(binding, user);
      if (subject === undefined) continue;
      const rules = this.rulesOf(binding.role, namespace);
      const by = describeGrant(binding, subject);
      if (rules) for (const rule of rules) grants.push({ rule, by });
      else
        errors.push(
          `${binding.role.kind.toLowerCase()}.rbac.authorization.k8s.io ${JSON.stringify(binding.role.name)} not found`,
        );
    }
    return new RuleSet(grants, errors);
  }

  rulesOf(role: RoleReference, namespace: string): readonly PolicyRule[] | undefined {
    if (role.kind === "Role") {
      const object = this.#objects.get(ROLES, `${namespace}/${role.name}`);
      return object && rulesIn(get(object, "rules"));
    }
    if (role.kind !== "ClusterRole") return undefined;
    const known = this.#clusterRules.get(role.name);
    if (known) return known;
    const object = this.#objects.get(CLUSTER_ROLES, role.name);
    if (!object) return undefined;
    const rules = effectiveRules(object, this.#clusterRoles());
    this.#clusterRules.set(role.name, rules);
    return rules;
  }

  #clusterRoles(): readonly KubeObject[] {
    return this.#objects.list(CLUSTER_ROLES);
  }
}

function revisionsOf(objects: ObjectReader): number[] {
  return [ROLES, CLUSTER_ROLES, ROLE_BINDINGS, CLUSTER_ROLE_BINDINGS].map((collection) =>
    objects.changedAt(collection),
  );
}
