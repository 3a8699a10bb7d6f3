import { parseFieldSelector, type FieldRequirement } from "../../../language/object/field-selector.ts";
import { collectErrors } from "../../../language/schema/collect-errors.ts";
import { at, get, isObject, text } from "../../../language/object/json.ts";
import { SelectorError } from "../../../language/object/label-selector.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { forbidden, invalid, required, type FieldError } from "../../../language/schema/field-error.ts";
import { badRequest, invalidObject, StatusError } from "../status-error.ts";
import type { ClusterAuthorizer } from "./cluster-authorizer.ts";
import { joined } from "./rbac/rbac.ts";
import type { Attributes, Authorizer, User } from "./user.ts";

const GROUP = "authorization.k8s.io";

/** SelfSubjectAccessReview: may the sender do this? */
export function reviewSelfAccess(body: KubeObject, user: User, authorizer: Authorizer): KubeObject {
  refuse(() => [...accessErrors(body), ...metadataErrors(body)]);
  return answered(body, user, authorizer);
}

/** SubjectAccessReview: may the named user do this? */
export function reviewAccess(body: KubeObject, authorizer: Authorizer): KubeObject {
  refuse(() => [...accessErrors(body), ...subjectErrors(body), ...metadataErrors(body)]);
  return answered(body, subjectOf(body), authorizer);
}

/** LocalSubjectAccessReview: may the named user do this in this namespace? */
export function reviewLocalAccess(body: KubeObject, namespace: string, authorizer: Authorizer): KubeObject {
  const resource = at(body, "spec", "resourceAttributes");
  const asked = text(get(resource, "namespace"));
  const paths = at(body, "spec", "nonResourceAttributes");
  refuse(() => [
    ...accessErrors(body),
    ...subjectErrors(body),
    ...metadataErrors(body),
    ...(resource !== undefined && asked !== namespace
      ? [invalid("spec.resourceAttributes.namespace", asked, "must match metadata.namespace")]
      : []),
    ...(paths === undefined
      ? []
      : [invalid("spec.nonResourceAttributes", goPath(paths), "disallowed on this kind of request")]),
  ]);
  body.metadata.namespace = namespace;
  return answered(body, subjectOf(body), authorizer);
}

/** SelfSubjectRulesReview: what may the sender do in this namespace? */
export function reviewSelfRules(body: KubeObject, user: User, authorizer: ClusterAuthorizer): KubeObject {
  const namespace = text(at(body, "spec", "namespace"));
  if (!namespace) throw badRequest("no namespace on request");
  const { rules, errors, incomplete } = authorizer.rulesFor(user, namespace);
  return {
    kind: body.kind,
    apiVersion: body.apiVersion,
    metadata: {},
    spec: {},
    status: {
      resourceRules: rules.flatMap(({ verbs, apiGroups, resources, resourceNames }) =>
        resources?.length ? [{ verbs, apiGroups, resources, ...(resourceNames?.length ? { resourceNames } : {}) }] : [],
      ),
      nonResourceRules: rules.flatMap(({ verbs, nonResourceURLs }) =>
        nonResourceURLs?.length ? [{ verbs, nonResourceURLs }] : [],
      ),
      incomplete,
      ...(errors.length > 0 ? { evaluationError: joined(errors) } : {}),
    },
  };
}

function answered(body: KubeObject, user: User, authorizer: Authorizer): KubeObject {
  const { allowed, reason } = authorizer.authorize(user, attributesOf(body));
  return {
    kind: body.kind,
    apiVersion: body.apiVersion,
    metadata: body.metadata,
    spec: get(body, "spec"),
    status: { allowed, ...(reason ? { reason } : {}) },
  };
}

function attributesOf(body: KubeObject): Attributes {
  const resource = at(body, "spec", "resourceAttributes");
  if (!isObject(resource)) {
    const path = at(body, "spec", "nonResourceAttributes");
    return { type: "path", verb: text(get(path, "verb")), path: text(get(path, "path")) };
  }
  const part = (name: string): string => text(get(resource, name));
  return {
    type: "resource",
    verb: part("verb"),
    group: part("group"),
    version: part("version"),
    resource: part("resource"),
    subresource: part("subresource"),
    namespace: part("namespace"),
    name: part("name"),
    ...fieldSelectorOf(get(resource, "fieldSelector")),
  };
}

/** An invalid selector is left out. That is safe: without it the question is about all objects. */
function fieldSelectorOf(selector: unknown): { fieldSelector?: FieldRequirement[] } {
  const raw = text(get(selector, "rawSelector"));
  if (raw)
    try {
      return { fieldSelector: parseFieldSelector(raw) };
    } catch (error) {
      if (error instanceof SelectorError) return {};
      throw error;
    }
  const requirements = get(selector, "requirements");
  if (!Array.isArray(requirements)) return {};
  const fieldSelector = requirements.flatMap((requirement): FieldRequirement[] => {
    const values = get(requirement, "values");
    const operator = get(requirement, "operator");
    if (!Array.isArray(values) || values.length !== 1 || (operator !== "In" && operator !== "NotIn")) return [];
    return [{ field: text(get(requirement, "key")), op: operator === "In" ? "=" : "!=", value: text(values[0]) }];
  });
  return { fieldSelector };
}

function subjectOf(body: KubeObject): User {
  const groups = at(body, "spec", "groups");
  return {
    name: text(at(body, "spec", "user")),
    groups: Array.isArray(groups) ? groups.filter((group) => typeof group === "string") : [],
  };
}

function refuse(validate: () => FieldError[]): void {
  const errors = collectErrors(validate);
  if (errors.length === 0) return;
  // kube-apiserver names only the group here.
  const { code, reason, message, details } = invalidObject(GROUP, "", "", errors);
  throw new StatusError(code, reason, message, { group: GROUP, causes: details?.causes ?? [] });
}

function accessErrors(body: KubeObject): FieldError[] {
  const resource = at(body, "spec", "resourceAttributes");
  const path = at(body, "spec", "nonResourceAttributes");
  if (isObject(resource) && isObject(path))
    return [
      invalid("spec.nonResourceAttributes", goPath(path), "cannot be specified in combination with resourceAttributes"),
    ];
  if (!isObject(resource) && !isObject(path))
    return [
      invalid(
        "spec.resourceAttributes",
        undefined,
        "exactly one of nonResourceAttributes or resourceAttributes must be specified",
      ),
    ];
  return ["fieldSelector", "labelSelector"].flatMap((name) =>
    selectorErrors(get(resource, name), `spec.resourceAttributes.${name}`),
  );
}

function subjectErrors(body: KubeObject): FieldError[] {
  const { name, groups } = subjectOf(body);
  return name || groups.length > 0 ? [] : [invalid("spec.user", "", "at least one of user or group must be specified")];
}

function metadataErrors({ metadata }: KubeObject): FieldError[] {
  const { name, generateName, labels, annotations, finalizers, ownerReferences } = metadata;
  const given = [name, generateName, labels, annotations, finalizers, ownerReferences];
  return given.every((value) => value === undefined || value === "")
    ? []
    : [invalid("metadata", metadata, "must be empty")];
}

function selectorErrors(selector: unknown, field: string): FieldError[] {
  if (!isObject(selector)) return [];
  const raw = text(get(selector, "rawSelector"));
  const requirements = get(selector, "requirements");
  const listed = Array.isArray(requirements) ? requirements : [];
  if (raw && listed.length > 0)
    return [invalid(`${field}.rawSelector`, raw, "may not specified at the same time as requirements")];
  if (!raw && listed.length === 0)
    return [required(`${field}.requirements`, `when ${field} is specified, requirements or rawSelector is required`)];
  return listed.flatMap((requirement, i) => requirementErrors(requirement, `${field}.requirements[${i}]`));
}

function requirementErrors(requirement: unknown, field: string): FieldError[] {
  const values = get(requirement, "values");
  const some = Array.isArray(values) && values.length > 0;
  const errors = text(get(requirement, "key")) ? [] : [required(`${field}.key`, "must be specified")];
  const operator = get(requirement, "operator");
  if ((operator === "In" || operator === "NotIn") && !some)
    errors.push(required(`${field}.values`, "must be specified when `operator` is 'In' or 'NotIn'"));
  if ((operator === "Exists" || operator === "DoesNotExist") && some)
    errors.push(forbidden(`${field}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
  return errors;
}

/** kube-apiserver prints these with Go's field names. */
const goPath = (value: unknown): unknown => ({ Path: text(get(value, "path")), Verb: text(get(value, "verb")) });
