import { matchesLabels } from "../../../../language/object/label-selector.ts";
import { apiVersionOf, type KubeObject, parseApiVersion } from "../../../../language/object/meta.ts";
import { collectionOf, type Registry } from "../../registry.ts";
import type { Lookup, Resource } from "../../resource.ts";
import type { ParamRef } from "./compiled-binding.ts";
import type { CompiledPolicy } from "./compiled-policy.ts";

/** The params to evaluate a policy with, one evaluation each; `undefined` is an evaluation without params. */
export type Params =
  | { readonly type: "found"; readonly params: readonly (KubeObject | undefined)[] }
  | { readonly type: "fault"; readonly detail: string };

type ParamKind = NonNullable<CompiledPolicy["paramKind"]>;

export function paramResource({ apiVersion, kind }: ParamKind, registry: Registry): Resource | undefined {
  const { group, version } = parseApiVersion(apiVersion);
  return registry
    .all()
    .find((resource) => resource.kind === kind && resource.group === group && resource.version === version);
}

export function collectParams(
  resource: Resource | undefined,
  paramRef: ParamRef | undefined,
  namespace: string,
  objects: Lookup,
): Params {
  if (!resource || !paramRef) return { type: "found", params: [undefined] };
  const fault = (detail: string): Params => ({ type: "fault", detail });
  const within = paramRef.namespace || namespace;
  if (!resource.namespaced && paramRef.namespace)
    return fault("paramRef.namespace must not be provided for a cluster-scoped `paramKind`");
  if (resource.namespaced && within === "")
    return fault("cannot use namespaced paramRef in policy binding that matches cluster-scoped resources");
  const params = matching(resource, paramRef, within, objects);
  if (params.length === 0 && paramRef.needed)
    return fault("no params found for policy binding with `Deny` parameterNotFoundAction");
  return { type: "found", params };
}

function matching(resource: Resource, { which }: ParamRef, namespace: string, objects: Lookup): KubeObject[] {
  const collection = collectionOf(resource);
  const shown = (object: KubeObject): KubeObject => ({
    ...object,
    apiVersion: apiVersionOf(resource.group, resource.version),
    kind: resource.kind,
  });
  if (which.type === "name") {
    const found = objects.head(collection, resource.namespaced ? `${namespace}/${which.name}` : which.name);
    return found ? [shown(found)] : [];
  }
  const isThere = ({ metadata }: KubeObject): boolean => !resource.namespaced || metadata.namespace === namespace;
  return objects
    .list(collection)
    .filter((object) => isThere(object) && matchesLabels(which.selector, object.metadata.labels))
    .map(shown);
}
