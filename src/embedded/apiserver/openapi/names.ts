import type { GroupVersionKind } from "../../../language/object/meta.ts";
import type { Resource } from "../resource.ts";
import { definitionName } from "../kinds/definitions.ts";

const PREFIX = "#/components/schemas/";

/** `rec.example.com`, `v1`, `Dial` → `com.example.rec.v1.Dial`; built-in kinds are named after their Go packages. */
export function componentName(resource: Pick<Resource, "origin" | "group" | "version">, kind: string): string {
  if (resource.origin === "builtin") return definitionName(resource.group, resource.version, kind);
  return `${resource.group.split(".").reverse().join(".")}.${resource.version}.${kind}`;
}

/** The component of a subresource's body: the kind itself, or another one such as Scale. */
export function bodyName(resource: Pick<Resource, "origin" | "group" | "version">, body: GroupVersionKind): string {
  const own = body.group === resource.group && body.version === resource.version;
  return own ? componentName(resource, body.kind) : definitionName(body.group, body.version, body.kind);
}

export const META = {
  objectMeta: definitionName("meta.k8s.io", "v1", "ObjectMeta"),
  listMeta: definitionName("meta.k8s.io", "v1", "ListMeta"),
  deleteOptions: definitionName("meta.k8s.io", "v1", "DeleteOptions"),
  status: definitionName("meta.k8s.io", "v1", "Status"),
  patch: definitionName("meta.k8s.io", "v1", "Patch"),
} as const;

export interface Reference {
  $ref: string;
}

export function refTo(name: string): Reference {
  return { $ref: PREFIX + name };
}

export function nameIn(ref: string): string | undefined {
  return ref.startsWith(PREFIX) ? ref.slice(PREFIX.length) : undefined;
}

/** `CoreV1`, as in `listCoreV1NamespacedPod`. */
export function operationPrefix(resource: Resource): string {
  return groupWord(resource) + capitalised(resource.version);
}

export function tagOf(resource: Resource): string {
  const word = groupWord(resource);
  return `${word.charAt(0).toLowerCase()}${word.slice(1)}_${resource.version}`;
}

export const scoped = (resource: Resource): string => (resource.namespaced ? "Namespaced" : "");
export const capitalised = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** `rbac.authorization.k8s.io` → `RbacAuthorization`; the core group is called Core. */
function groupWord({ group, origin }: Resource): string {
  if (group === "") return "Core";
  const domain = origin === "builtin" && group.endsWith(".k8s.io") ? group.slice(0, -".k8s.io".length) : group;
  return domain.split(/[.-]/).map(capitalised).join("");
}
