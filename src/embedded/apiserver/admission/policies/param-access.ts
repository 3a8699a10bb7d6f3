import { at, equal, text } from "../../../../language/object/json.ts";
import { type KubeObject, parseApiVersion } from "../../../../language/object/meta.ts";
import { forbidden } from "../../../../language/schema/field-error.ts";
import { SUPERUSERS } from "../../auth/rbac/rbac.ts";
import type { Authorizer, User } from "../../auth/user.ts";
import { collectionOf, type Registry } from "../../registry.ts";
import type { Lookup } from "../../resource.ts";
import { invalidObject } from "../../status-error.ts";
import type { AdmissionPlugin, Attributes } from "../admission.ts";
import { paramResource } from "./params.ts";
import { BINDINGS, POLICIES } from "./policy-set.ts";

/** The writer of a policy or binding must have the right to read its params, since messages can reveal them. */
export function paramAccess(objects: Lookup, registry: Registry, authorizer: Authorizer): AdmissionPlugin {
  return {
    name: "ParamAccess",
    handles: ({ resource, subresource, operation, user }) =>
      resource.group === "admissionregistration.k8s.io" &&
      subresource === "" &&
      operation !== "DELETE" &&
      !user.groups.includes(SUPERUSERS),
    validate: (attributes) => {
      const collection = collectionOf(attributes.resource);
      const why = collection === POLICIES ? policyFault(attributes) : undefined;
      if (why) throw fault(attributes, "spec.paramKind", why);
      const bindingWhy = collection === BINDINGS ? bindingFault(attributes) : undefined;
      if (bindingWhy) throw fault(attributes, "spec.paramRef", bindingWhy);
    },
  };

  function policyFault({ object, old, user }: Attributes): string | undefined {
    const paramKind = at(object, "spec", "paramKind");
    if (paramKind === undefined || equal(paramKind, at(old, "spec", "paramKind"))) return undefined;
    if (mayRead(user, object, { verb: "get", name: "*", namespace: "*" })) return undefined;
    const { apiVersion, kind } = kindIn(object);
    return `user ${show(user)} must have "get" permission on all objects of the referenced paramKind (kind=${kind}, apiVersion=${apiVersion})`;
  }

  function bindingFault({ object, old, user }: Attributes): string | undefined {
    const paramRef = at(object, "spec", "paramRef");
    const policyName = text(at(object, "spec", "policyName"));
    const isSame = policyName === at(old, "spec", "policyName") && equal(paramRef, at(old, "spec", "paramRef"));
    if (paramRef === undefined || isSame) return undefined;
    const [name, namespace] = [text(at(paramRef, "name")), text(at(paramRef, "namespace"))];
    const verb = name === "" ? "list" : "get";
    const policy = objects.head(POLICIES, policyName);
    if (mayRead(user, policy, { verb, name, namespace })) return undefined;
    const lacks = `user ${show(user)} does not have "${verb}" permission`;
    const everywhere = `to determine minimum required permissions and ${lacks} for all groups, versions and resources`;
    if (!policy) return `unable to get policy ${policyName} ${everywhere}`;
    if (at(policy, "spec", "paramKind") !== undefined && !paramResource(kindIn(policy), registry))
      return `unable to resolve paramKind ${showKind(policy)} ${everywhere}`;
    return `${lacks} on the object referenced by paramRef`;
  }

  /** Unknown parts of the paramKind count as `*`. */
  function mayRead(
    user: User,
    policy: KubeObject | undefined,
    asked: { readonly verb: string; readonly name: string; readonly namespace: string },
  ): boolean {
    const known = at(policy, "spec", "paramKind") !== undefined;
    const { group, version } = known ? parseApiVersion(kindIn(policy).apiVersion) : { group: "*", version: "*" };
    const resource = (known && paramResource(kindIn(policy), registry)?.plural) || "*";
    return authorizer.authorize(user, { type: "resource", group, version, resource, subresource: "", ...asked })
      .allowed;
  }
}

function kindIn(policy: KubeObject | undefined): { apiVersion: string; kind: string } {
  const paramKind = at(policy, "spec", "paramKind");
  return { apiVersion: text(at(paramKind, "apiVersion")), kind: text(at(paramKind, "kind")) };
}

function showKind(policy: KubeObject): string {
  const { apiVersion, kind } = kindIn(policy);
  return `&ParamKind{APIVersion:${apiVersion},Kind:${kind},}`;
}

/** As Go prints the structure. */
function show({ name, uid = "", groups, extra = {} }: User): string {
  const entries = Object.keys(extra)
    .toSorted()
    .map((key) => `${key}:[${(extra[key] ?? []).join(" ")}]`);
  return `&{${name} ${uid} [${groups.join(" ")}] map[${entries.join(" ")}]}`;
}

function fault({ resource, name }: Attributes, field: string, why: string): Error {
  return invalidObject(resource.group, resource.kind, name, [forbidden(field, why)]);
}
