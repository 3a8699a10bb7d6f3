import type { ClusterRole, PolicyRule, RoleBinding, Subject } from "kubernetes-types/rbac/v1.js";
import { equal } from "../../../language/object/json.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { dnsSubdomain, pathSegment } from "../../../language/object/names.ts";
import { type FieldError, invalid, notSupported, required } from "../../../language/schema/field-error.ts";
import type { Column, Resource } from "../resource.ts";
import { ageColumn, nameColumn, stringColumn, typed } from "./columns.ts";
import { defineKind } from "./define-kind.ts";
import { validateSelector } from "./label-checks.ts";

const group = "rbac.authorization.k8s.io";
const created: Column = {
  name: "Created At",
  type: "date",
  priority: 0,
  cell: (object) => object.metadata.creationTimestamp ?? null,
};

/** Names of roles may contain colons: they only have to be a valid path segment. */
const shared = { validateName: pathSegment, createOnUpdate: true } as const;

export const role = defineKind({
  group,
  version: "v1",
  kind: "Role",
  plural: "roles",
  namespaced: true,
  columns: [nameColumn, created],
  strategy: { ...shared, validate: (object) => validateRules((object as ClusterRole).rules, "namespaced") },
});

export const clusterRole = defineKind({
  group,
  version: "v1",
  kind: "ClusterRole",
  plural: "clusterroles",
  namespaced: false,
  columns: [nameColumn, created],
  strategy: { ...shared, validate: validateClusterRole },
});

export const roleBinding = binding("RoleBinding", "rolebindings", true);
export const clusterRoleBinding = binding("ClusterRoleBinding", "clusterrolebindings", false);

function binding(kind: string, plural: string, namespaced: boolean): Resource {
  return defineKind({
    group,
    version: "v1",
    kind,
    plural,
    namespaced,
    columns: [
      nameColumn,
      stringColumn(
        "Role",
        typed<RoleBinding>(({ roleRef }) => `${roleRef.kind}/${roleRef.name}`),
      ),
      ageColumn,
      subjectsColumn("Users", "User"),
      subjectsColumn("Groups", "Group"),
      subjectsColumn("ServiceAccounts", "ServiceAccount"),
    ],
    strategy: {
      ...shared,
      defaults: defaultBinding,
      validate: (object) => validateBinding(object, namespaced),
      validateUpdate: validateRoleRef,
    },
  });
}

function subjectsColumn(name: string, kind: string): Column {
  const shown = (subject: Subject): string =>
    kind === "ServiceAccount" ? `${subject.namespace ?? ""}/${subject.name}` : subject.name;
  return stringColumn(
    name,
    typed<RoleBinding>(({ subjects }) =>
      (subjects ?? [])
        .filter((subject) => subject.kind === kind)
        .map(shown)
        .join(", "),
    ),
    1,
  );
}

function validateClusterRole(object: KubeObject): FieldError[] {
  const { rules, aggregationRule } = object as ClusterRole;
  const errors = validateRules(rules, "cluster");
  if (!aggregationRule) return errors;
  const selectors = aggregationRule.clusterRoleSelectors ?? [];
  const field = "aggregationRule.clusterRoleSelectors";
  if (selectors.length === 0)
    errors.push(required(field, "at least one clusterRoleSelector required if aggregationRule is non-nil"));
  for (const [index, selector] of selectors.entries()) {
    const faults = validateSelector(selector, `${field}[${index}]`);
    errors.push(...faults);
    if (faults.length > 0) errors.push(invalid(`${field}[${index}]`, null, "invalid label selector."));
  }
  return errors;
}

function validateRules(rules: readonly PolicyRule[] | null | undefined, scope: "namespaced" | "cluster"): FieldError[] {
  return (rules ?? []).flatMap((rule, index) => validateRule(rule, `rules[${index}]`, scope));
}

function validateRule(rule: PolicyRule, at: string, scope: "namespaced" | "cluster"): FieldError[] {
  const { verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  const errors: FieldError[] = [];
  if ((verbs ?? []).length === 0) errors.push(required(`${at}.verbs`, "verbs must contain at least one value"));
  if (nonResourceURLs.length > 0) {
    if (scope === "namespaced")
      errors.push(
        invalid(`${at}.nonResourceURLs`, nonResourceURLs, "namespaced rules cannot apply to non-resource URLs"),
      );
    if (apiGroups.length + resources.length + resourceNames.length > 0)
      errors.push(
        invalid(
          `${at}.nonResourceURLs`,
          nonResourceURLs,
          "rules cannot apply to both regular resources and non-resource URLs",
        ),
      );
    return errors;
  }
  if (apiGroups.length === 0)
    errors.push(required(`${at}.apiGroups`, "resource rules must supply at least one api group"));
  if (resources.length === 0)
    errors.push(required(`${at}.resources`, "resource rules must supply at least one resource"));
  return errors;
}

function defaultBinding(object: KubeObject): void {
  const { roleRef, subjects } = object as unknown as RoleBinding;
  if (!roleRef.apiGroup) roleRef.apiGroup = group;
  for (const subject of subjects ?? [])
    if (!subject.apiGroup && (subject.kind === "User" || subject.kind === "Group")) subject.apiGroup = group;
}

function validateBinding(object: KubeObject, namespaced: boolean): FieldError[] {
  const { roleRef, subjects = [] } = object as unknown as RoleBinding;
  const errors: FieldError[] = [];
  if (roleRef.apiGroup !== group) errors.push(notSupported("roleRef.apiGroup", roleRef.apiGroup, [group]));
  const kinds = namespaced ? ["Role", "ClusterRole"] : ["ClusterRole"];
  if (!kinds.includes(roleRef.kind)) errors.push(notSupported("roleRef.kind", roleRef.kind, kinds));
  if (!roleRef.name) errors.push(required("roleRef.name"));
  else for (const reason of pathSegment(roleRef.name)) errors.push(invalid("roleRef.name", roleRef.name, reason));
  for (const [index, subject] of subjects.entries())
    errors.push(...validateSubject(subject, `subjects[${index}]`, namespaced));
  return errors;
}

function validateSubject(subject: Subject, at: string, namespaced: boolean): FieldError[] {
  const { kind, name, apiGroup = "", namespace } = subject;
  const errors: FieldError[] = [];
  if (!name) errors.push(required(`${at}.name`));
  switch (kind) {
    case "ServiceAccount":
      if (name) for (const reason of dnsSubdomain(name)) errors.push(invalid(`${at}.name`, name, reason));
      if (apiGroup !== "") errors.push(notSupported(`${at}.apiGroup`, apiGroup, [""]));
      if (!namespaced && !namespace) errors.push(required(`${at}.namespace`));
      return errors;
    case "User":
    case "Group":
      if (apiGroup !== group) errors.push(notSupported(`${at}.apiGroup`, apiGroup, [group]));
      return errors;
    default:
      return [...errors, notSupported(`${at}.kind`, kind, ["ServiceAccount", "User", "Group"])];
  }
}

/** roleRef is immutable: otherwise a user who may update a binding could grant any role with it. */
function validateRoleRef(object: KubeObject, old: KubeObject): FieldError[] {
  if (equal(object.roleRef, old.roleRef)) return [];
  const { apiGroup, kind, name } = (object as unknown as RoleBinding).roleRef;
  return [invalid("roleRef", { APIGroup: apiGroup, Kind: kind, Name: name }, "cannot change roleRef")];
}
