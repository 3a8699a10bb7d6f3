import { at, get, isObject, text } from "../../../../language/object/json.ts";
import type { KubeObject } from "../../../../language/object/meta.ts";
import { serviceAccountName, type User } from "../user.ts";

/** A parsed RoleBinding or ClusterRoleBinding. `namespace` is empty for a ClusterRoleBinding. */
export interface Binding {
  readonly name: string;
  readonly namespace: string;
  readonly role: RoleReference;
  readonly subjects: readonly BoundSubject[];
}

export interface RoleReference {
  readonly kind: string;
  readonly name: string;
}

interface BoundSubject {
  readonly kind: string;
  /** The user or group name that it matches. */
  readonly matches: string;
  /** `User "jane"`, `ServiceAccount "builder/ci"`. */
  readonly shown: string;
}

export function roleReferenceOf(object: KubeObject): RoleReference {
  return { kind: text(at(object, "roleRef", "kind")), name: text(at(object, "roleRef", "name")) };
}

export function readBinding(object: KubeObject): Binding {
  const namespace = object.metadata.namespace ?? "";
  const subjects = get(object, "subjects");
  return {
    name: object.metadata.name ?? "",
    namespace,
    role: roleReferenceOf(object),
    subjects: Array.isArray(subjects) ? subjects.flatMap((subject) => readSubject(subject, namespace)) : [],
  };
}

function readSubject(subject: unknown, bindingNamespace: string): BoundSubject[] {
  if (!isObject(subject)) return [];
  const kind = text(get(subject, "kind"));
  const name = text(get(subject, "name"));
  if (kind === "User" || kind === "Group") return [{ kind, matches: name, shown: `${kind} ${JSON.stringify(name)}` }];
  const namespace = text(get(subject, "namespace")) || bindingNamespace;
  if (kind !== "ServiceAccount" || !namespace) return [];
  return [
    { kind, matches: serviceAccountName(namespace, name), shown: `${kind} ${JSON.stringify(`${name}/${namespace}`)}` },
  ];
}

/** The first subject that matches the user, as messages show it. */
export function subjectFor(binding: Binding, user: User): string | undefined {
  for (const { kind, matches, shown } of binding.subjects)
    if (kind === "Group" ? user.groups.includes(matches) : user.name === matches) return shown;
  return undefined;
}

/** The reason of an allowed decision: binding, role and subject. */
export function describeGrant(binding: Binding, subject: string): string {
  const role = `${binding.role.kind} ${JSON.stringify(binding.role.name)}`;
  return binding.namespace
    ? `RoleBinding ${JSON.stringify(`${binding.name}/${binding.namespace}`)} of ${role} to ${subject}`
    : `ClusterRoleBinding ${JSON.stringify(binding.name)} of ${role} to ${subject}`;
}
