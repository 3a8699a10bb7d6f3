import type { KubeObject } from "../../../../language/object/meta.ts";
import type { Registry } from "../../registry.ts";
import type { Resource } from "../../resource.ts";
import type { ObjectReader } from "../../storage/store-reader.ts";
import type { Attributes } from "../admission.ts";
import { matchesRules, type Rules } from "../match/rules.ts";
import { type CompiledBinding, compileBinding } from "./compiled-binding.ts";
import { type CompiledPolicy, compilePolicy } from "./compiled-policy.ts";
import { paramResource } from "./params.ts";

export const POLICIES = "validatingadmissionpolicies.admissionregistration.k8s.io";
export const BINDINGS = "validatingadmissionpolicybindings.admissionregistration.k8s.io";

/** A policy with its bindings. */
export interface BoundPolicy {
  readonly policy: CompiledPolicy;
  readonly bindings: readonly CompiledBinding[];
  /** Undefined if the policy has no paramKind, or one that is not served. */
  readonly paramResource: Resource | undefined;
}

/**
 * The bound policies, compiled. Rebuilt when a policy, a binding or the served resources change; unchanged objects are
 * not compiled again.
 */
export class PolicySet {
  readonly #objects: ObjectReader;
  readonly #registry: Registry;
  readonly #policies = new WeakMap<KubeObject, CompiledPolicy>();
  readonly #bindings = new WeakMap<KubeObject, CompiledBinding>();
  #state = { policies: -1, bindings: -1, resources: -1 };
  #bound: readonly BoundPolicy[] = [];
  #candidates = new WeakMap<Resource, Map<string, readonly BoundPolicy[]>>();

  constructor(objects: ObjectReader, registry: Registry) {
    this.#objects = objects;
    this.#registry = registry;
  }

  /** The policies whose rules match such a write, regardless of its name and labels. */
  about({ resource, operation, subresource }: Attributes): readonly BoundPolicy[] {
    this.#refresh();
    if (this.#bound.length === 0) return this.#bound;
    let known = this.#candidates.get(resource);
    if (!known) this.#candidates.set(resource, (known = new Map()));
    const key = `${operation}/${subresource}`;
    let candidates = known.get(key);
    if (!candidates) {
      const write = { operation, resource, subresource, name: "" };
      candidates = this.#bound.filter(({ policy }) => matchesRules(anyName(policy.match.rules), write, this.#registry));
      known.set(key, candidates);
    }
    return candidates;
  }

  #refresh(): void {
    const { policies, bindings, resources } = this.#state;
    const state = {
      policies: this.#objects.changedAt(POLICIES),
      bindings: this.#objects.changedAt(BINDINGS),
      resources: this.#registry.generation,
    };
    if (state.policies === policies && state.bindings === bindings && state.resources === resources) return;
    this.#state = state;
    this.#candidates = new WeakMap();
    this.#bound = this.#bind();
  }

  #bind(): BoundPolicy[] {
    const bindings = new Map<string, CompiledBinding[]>();
    for (const object of this.#objects.list(BINDINGS)) {
      const binding = once(this.#bindings, object, compileBinding);
      const others = bindings.get(binding.policy);
      if (others) others.push(binding);
      else bindings.set(binding.policy, [binding]);
    }
    const bound: BoundPolicy[] = [];
    for (const object of this.#objects.list(POLICIES)) {
      const own = bindings.get(object.metadata.name ?? "");
      if (!own) continue;
      const policy = once(this.#policies, object, compilePolicy);
      const { paramKind } = policy;
      bound.push({ policy, bindings: own, paramResource: paramKind && paramResource(paramKind, this.#registry) });
    }
    return bound;
  }
}

function anyName({ rules, matchPolicy }: Rules): Rules {
  return { rules: rules.map((rule) => ({ ...rule, resourceNames: [] })), matchPolicy };
}

function once<T>(known: WeakMap<KubeObject, T>, object: KubeObject, make: (object: KubeObject) => T): T {
  let made = known.get(object);
  if (made === undefined) known.set(object, (made = make(object)));
  return made;
}
