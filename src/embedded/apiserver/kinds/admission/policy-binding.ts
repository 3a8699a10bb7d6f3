import type {
  ParamRef,
  ValidatingAdmissionPolicyBinding,
  ValidatingAdmissionPolicyBindingSpec,
} from "kubernetes-types/admissionregistration/v1.js";
import type { KubeObject } from "../../../../language/object/meta.ts";
import { dnsSubdomain, pathSegment } from "../../../../language/object/names.ts";
import {
  duplicate,
  type FieldError,
  forbidden,
  invalid,
  notSupported,
  required,
} from "../../../../language/schema/field-error.ts";
import { defaultMatchResources, validateMatchResources } from "./match-resources.ts";
import { ageColumn, nameColumn, stringColumn, typed } from "../columns.ts";
import { defineKind } from "../define-kind.ts";
import { validateSelector } from "../label-checks.ts";

const specOf = (object: KubeObject): ValidatingAdmissionPolicyBindingSpec =>
  (object as ValidatingAdmissionPolicyBinding).spec ?? {};

export const validatingAdmissionPolicyBinding = defineKind({
  group: "admissionregistration.k8s.io",
  version: "v1",
  kind: "ValidatingAdmissionPolicyBinding",
  plural: "validatingadmissionpolicybindings",
  categories: ["api-extensions"],
  namespaced: false,
  columns: [
    nameColumn,
    stringColumn(
      "PolicyName",
      typed<ValidatingAdmissionPolicyBinding>(({ spec }) => spec?.policyName ?? ""),
    ),
    stringColumn(
      "ParamRef",
      typed<ValidatingAdmissionPolicyBinding>(({ spec }) => showParamRef(spec?.paramRef)),
    ),
    ageColumn,
  ],
  strategy: {
    defaults: (object) => defaultMatchResources(specOf(object).matchResources),
    validate,
    hasGeneration: true,
    requiresVersion: true,
  },
});

/** An empty namespace is shown as `*`, a selector as Go prints the struct. */
function showParamRef(paramRef: ParamRef | undefined): string {
  if (paramRef?.name) return `${paramRef.namespace || "*"}/${paramRef.name}`;
  if (!paramRef?.selector) return "<unset>";
  const { matchLabels = {}, matchExpressions = [] } = paramRef.selector;
  const labels = Object.entries(matchLabels)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}: ${value},`);
  const expressions = matchExpressions.map(
    ({ key, operator, values = [] }) =>
      `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values.join(" ")}],},`,
  );
  return `&LabelSelector{MatchLabels:map[string]string{${labels.join("")}},MatchExpressions:[]LabelSelectorRequirement{${expressions.join("")}},}`;
}

const actions = ["Audit", "Deny", "Warn"];

function validate(object: KubeObject): FieldError[] {
  const { policyName = "", paramRef, matchResources, validationActions = [] } = specOf(object);
  const errors: FieldError[] = [];
  if (policyName === "") errors.push(required("spec.policyName"));
  else for (const reason of dnsSubdomain(policyName)) errors.push(invalid("spec.policyName", policyName, reason));
  if (paramRef) errors.push(...validateParamRef(paramRef, "spec.paramRef"));
  errors.push(...validateMatchResources(matchResources, "spec.matchResources"));
  errors.push(...validateActions(validationActions, "spec.validationActions"));
  return errors;
}

function validateParamRef(paramRef: ParamRef, field: string): FieldError[] {
  const { name = "", selector, parameterNotFoundAction } = paramRef;
  const errors: FieldError[] = [];
  const exclusive = "name and selector are mutually exclusive";
  for (const reason of pathSegment(name)) errors.push(invalid(`${field}.name`, name, reason));
  if (name !== "" && selector) errors.push(forbidden(`${field}.name`, exclusive));
  errors.push(...validateSelector(selector, `${field}.selector`));
  if (name !== "" && selector) errors.push(forbidden(`${field}.selector`, exclusive));
  if (name === "" && !selector) errors.push(required(field, "one of name or selector must be specified"));
  if (!parameterNotFoundAction) errors.push(required(`${field}.parameterNotFoundAction`));
  else if (parameterNotFoundAction !== "Deny" && parameterNotFoundAction !== "Allow")
    errors.push(notSupported(`${field}.parameterNotFoundAction`, parameterNotFoundAction, ["Deny", "Allow"]));
  return errors;
}

function validateActions(given: readonly string[], field: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const [index, action] of given.entries()) {
    if (!actions.includes(action)) errors.push(notSupported(`${field}[${index}]`, action, actions));
    if (given.indexOf(action) < index) errors.push(duplicate(`${field}[${index}]`, action));
  }
  if (given.includes("Deny") && given.includes("Warn"))
    errors.push(
      invalid(
        field,
        given,
        "must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)",
      ),
    );
  if (given.length === 0) errors.push(required(field, "at least one validation action is required"));
  return errors;
}
