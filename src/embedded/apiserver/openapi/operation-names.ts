import type { Resource } from "../resource.ts";

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
