import type { KubeObject } from "../../../../language/object/meta.ts";
import type { PolicyRule } from "../rbac/policy-rule.ts";
import type { Attributes } from "../user.ts";

/** Short forms of roles, bindings and attributes for tests. */
const apiVersion = "rbac.authorization.k8s.io/v1";

export const clusterRole = (name: string, rules: PolicyRule[], more: Record<string, unknown> = {}): KubeObject => ({
  apiVersion,
  kind: "ClusterRole",
  metadata: { name },
  rules,
  ...more,
});
export const role = (namespace: string, name: string, rules: PolicyRule[]): KubeObject => ({
  apiVersion,
  kind: "Role",
  metadata: { namespace, name },
  rules,
});
/** `namespace/name` or `name`; `Kind/name` of the role; `Kind name [namespace]` of each subject. */
export const binding = (key: string, roleRef: string, ...subjects: string[]): KubeObject => {
  const [name = "", namespace] = key.split("/").toReversed();
  const [kind, roleName] = roleRef.split("/");
  return {
    apiVersion,
    kind: namespace ? "RoleBinding" : "ClusterRoleBinding",
    metadata: { name, ...(namespace ? { namespace } : {}) },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind, name: roleName },
    subjects: subjects.map((subject) => {
      const [subjectKind, subjectName, subjectNamespace] = subject.split(" ");
      return { kind: subjectKind, name: subjectName, ...(subjectNamespace ? { namespace: subjectNamespace } : {}) };
    }),
  };
};

/** `what` is `group/resource/subresource`; the core group is empty. */
export function ask(verb: string, what: string, namespace = "", name = ""): Attributes {
  const [group = "", resource = "", subresource = ""] = what.split("/");
  return { type: "resource", verb, group, version: "v1", resource, subresource, namespace, name };
}
export const path = (verb: string, to: string): Attributes => ({ type: "path", verb, path: to });
