import type { KubeObject } from "../../../../language/object/meta.ts";
import { builtinResources } from "../../kinds/builtin-resources.ts";
import type { Resource } from "../../resource.ts";
import type { Attributes } from "../admission.ts";

const resources = builtinResources();

export function resourceNamed(plural: string): Resource {
  const found = resources.find((resource) => resource.plural === plural);
  if (!found) throw new Error(`${plural} is not served`);
  return found;
}

/** Attributes of a write for tests. Default: alice creates `default/p`. */
export function attributesOf(
  plural: string,
  { resource = resourceNamed(plural), ...given }: Partial<Attributes> = {},
): Attributes {
  const name = given.name ?? "p";
  const namespace = given.namespace ?? (resource.namespaced ? "default" : plural === "namespaces" ? name : "");
  const object: KubeObject = { apiVersion: "v1", kind: resource.kind, metadata: { name } };
  return {
    operation: "CREATE",
    subresource: "",
    namespace,
    name,
    object: given.operation === "DELETE" ? undefined : object,
    old: undefined,
    options: { apiVersion: "meta.k8s.io/v1", kind: "CreateOptions" },
    dryRun: false,
    user: { name: "alice", groups: ["system:authenticated"] },
    warnings: [],
    deadline: Number.POSITIVE_INFINITY,
    round: "first",
    kind: resource,
    ...given,
    resource,
  };
}
