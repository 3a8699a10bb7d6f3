import type { Problem } from "../admission.ts";
import { allowedAnnotation } from "../names.ts";
import type { ReleaseRules } from "../release.ts";
import type { NamespaceLookup } from "../view.ts";

export type KnownNamespace = Extract<NamespaceLookup, { type: "found" }>;
type UnknownNamespace = Exclude<NamespaceLookup, KnownNamespace>;

/** Why the namespace of a pod is not known. */
export function namespaceProblem(namespace: UnknownNamespace): Problem {
  const { name } = namespace;
  if (namespace.type === "missing")
    return { code: "namespace-not-found", status: 404, message: `namespaces "${name}" not found` };
  const message = `namespace ${name} could not be read: ${namespace.reason}`;
  return { code: "namespace-lookup-failed", status: 403, message };
}

/** Whether a namespace lists the workload type; `no-list` if it has no list at all. */
export function allows(
  namespace: KnownNamespace,
  workload: string,
  { trimList }: ReleaseRules,
): "listed" | "not-listed" | "no-list" {
  const { annotations } = namespace;
  if (!Object.hasOwn(annotations, allowedAnnotation)) return "no-list";
  const entries = (annotations[allowedAnnotation] ?? "").split(",");
  return entries.some((entry) => (trimList ? entry.trim() : entry) === workload) ? "listed" : "not-listed";
}
