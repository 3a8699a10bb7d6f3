import { parseApiVersion } from "../../../../language/object/meta.ts";
import type { Authorizer } from "../../auth/user.ts";
import type { Registry } from "../../registry.ts";
import type { Lookup, Resource } from "../../resource.ts";
import { StatusError } from "../../status-error.ts";
import type { ObjectReader } from "../../storage/store-reader.ts";
import { type AdmissionPlugin, type Attributes, refused } from "../admission.ts";
import { WriteFacts } from "../expressions/write-facts.ts";
import { matchedResource } from "../match/match-resources.ts";
import type { CompiledBinding } from "./compiled-binding.ts";
import type { CompiledPolicy } from "./compiled-policy.ts";
import { judge, type Objection } from "./judge.ts";
import { collectParams } from "./params.ts";
import { type BoundPolicy, PolicySet } from "./policy-set.ts";
import { paramAccess } from "./param-access.ts";

/** The plug-in that evaluates policies, and the one that checks who may write them. */
export function policyPlugins(dependencies: PolicyDependencies): AdmissionPlugin[] {
  const { objects, registry, authorizer } = dependencies;
  return [paramAccess(objects, registry, authorizer), policyPlugin(dependencies)];
}

export interface PolicyDependencies {
  readonly objects: ObjectReader & Lookup;
  readonly registry: Registry;
  readonly authorizer: Authorizer;
}

/** `ValidatingAdmissionPolicy`: evaluates every bound policy; the first objection refuses the write. */
export function policyPlugin({ objects, registry, authorizer }: PolicyDependencies): AdmissionPlugin {
  const policies = new PolicySet(objects, registry);
  return {
    name: "ValidatingAdmissionPolicy",
    handles: (attributes) => !isExempt(attributes.resource) && policies.about(attributes).length > 0,
    validate: (attributes) => {
      const facts = new WriteFacts(attributes, authorizer, objects);
      let refusal: Refusal | undefined;
      for (const bound of policies.about(attributes)) {
        const shownAs = matchedResource(bound.policy.match, attributes, objects, registry);
        if (shownAs) refusal = verdict(bound, facts, shownAs, refusal);
      }
      if (refusal) throw denied(attributes, refusal);
    },
  };

  /** Evaluates all bindings even after a refusal, because their warnings are sent with it. */
  function verdict(
    { policy, bindings, paramResource }: BoundPolicy,
    facts: WriteFacts,
    shownAs: Resource,
    earlier: Refusal | undefined,
  ): Refusal | undefined {
    const { attributes } = facts;
    let refusal = earlier;
    if (policy.paramKind && !paramResource) {
      if (!policy.failsOpen) refusal ??= { policy, ...configuration("policy", unknownKind(policy.paramKind)) };
      return refusal;
    }
    for (const binding of bindings) {
      if (binding.match && !matchedResource(binding.match, attributes, objects, registry)) continue;
      const found = collectParams(paramResource, binding.paramRef, attributes.namespace, objects);
      if (found.type === "fault") {
        if (!policy.failsOpen) refusal ??= { policy, binding, ...configuration("binding", found.detail) };
        continue;
      }
      for (const params of found.params)
        for (const objection of judge({ policy, facts, shownAs, params })) {
          if (binding.denies || objection.always) refusal ??= { policy, binding, ...objection };
          if (binding.warns && !objection.always) attributes.warnings.push(warning(policy, binding, objection));
        }
    }
    return refusal;
  }
}

interface Refusal extends Objection {
  readonly policy: CompiledPolicy;
  /** Undefined if the policy itself is misconfigured. */
  readonly binding?: CompiledBinding;
}

const configuration = (what: string, detail: string): Objection => ({
  message: `failed to configure ${what}: ${detail}`,
  reason: "Invalid",
});

function unknownKind({ apiVersion, kind }: NonNullable<CompiledPolicy["paramKind"]>): string {
  const { group, version } = parseApiVersion(apiVersion);
  return `failed to find resource referenced by paramKind: '${group}/${version}, Kind=${kind}'`;
}

function warning(policy: CompiledPolicy, binding: CompiledBinding, { message }: Objection): string {
  return `Validation failed for ValidatingAdmissionPolicy '${policy.name}' with binding '${binding.name}': ${message}`;
}

const codes: Readonly<Record<string, number>> = { Forbidden: 403, Unauthorized: 401, RequestEntityTooLarge: 413 };

/** As kube-apiserver: the message says `is forbidden` whatever the reason. */
function denied(attributes: Attributes, { policy, binding, message, reason }: Refusal): StatusError {
  const by = `ValidatingAdmissionPolicy '${policy.name}'${binding ? ` with binding '${binding.name}'` : ""}`;
  const why = `${by} denied request: ${message}`;
  const status = refused(attributes, why);
  return new StatusError(codes[reason] ?? 422, reason, status.message, {
    ...status.details,
    causes: [{ message: why }],
  });
}

const exempt: ReadonlySet<string> = new Set([
  "validatingadmissionpolicies.admissionregistration.k8s.io",
  "validatingadmissionpolicybindings.admissionregistration.k8s.io",
]);
const reviewGroups = new Set(["authentication.k8s.io", "authorization.k8s.io"]);

/** A policy that refuses policies could never be removed; one that refuses reviews would lock out all clients. */
function isExempt({ group, plural }: Resource): boolean {
  return reviewGroups.has(group) || exempt.has(`${plural}.${group}`);
}
