import type {
  AuditAnnotation,
  ParamKind,
  ValidatingAdmissionPolicySpec,
  Validation,
} from "kubernetes-types/admissionregistration/v1.js";
import { byteLength } from "../../../../language/object/byte-length.ts";
import type { KubeObject } from "../../../../language/object/meta.ts";
import { dns1035Label, dnsSubdomain, qualifiedName } from "../../../../language/object/names.ts";
import {
  duplicate,
  type FieldError,
  invalid,
  notSupported,
  required,
} from "../../../../language/schema/field-error.ts";
import { compileAbout, type Environment, type Outcome } from "../../admission/expressions/environment.ts";
import { VariableTypes } from "../../admission/expressions/variable-types.ts";
import { validateMatchConditions } from "./validate-matching.ts";
import { validateMatchResources } from "./match-resources.ts";

const failurePolicies = ["Fail", "Ignore"];
const reasons = ["Forbidden", "Invalid", "RequestEntityTooLarge"];
const mostAnnotations = 20;
const longestAnnotation = 5 * 1024;
const emptyPolicy = "validations or auditAnnotations must contain at least one item";

export function validatePolicy(object: KubeObject): FieldError[] {
  const spec = object.spec as ValidatingAdmissionPolicySpec;
  const { failurePolicy, paramKind, matchConstraints, variables = [], validations = [], auditAnnotations = [] } = spec;
  const errors: FieldError[] = [];
  if (!failurePolicies.includes(failurePolicy ?? ""))
    errors.push(notSupported("spec.failurePolicy", failurePolicy, failurePolicies));
  if (paramKind) errors.push(...validateParamKind(paramKind));
  if (!matchConstraints) errors.push(required("spec.matchConstraints"));
  else {
    errors.push(...validateMatchResources(matchConstraints, "spec.matchConstraints"));
    if (!matchConstraints.resourceRules?.length) errors.push(required("spec.matchConstraints.resourceRules"));
  }
  const params = paramKind !== undefined;
  errors.push(
    ...validateMatchConditions(spec.matchConditions ?? [], "spec.matchConditions", { params, authorizer: true }),
  );
  const types = new VariableTypes({ params });
  for (const [index, variable] of variables.entries()) {
    const at = `spec.variables[${index}]`;
    if (variable.name.trim() === "") errors.push(required(`${at}.name`, "name is not specified"));
    else if (!isIdentifier(variable.name))
      errors.push(invalid(`${at}.name`, variable.name, "must be a valid CEL identifier"));
    if (variable.expression.trim() === "") errors.push(required(`${at}.expression`, "expression is not specified"));
    else errors.push(...expressionFault(types.add(variable), variable.expression, `${at}.expression`));
  }
  if (validations.length === 0 && auditAnnotations.length === 0)
    return [...errors, required("spec.validations", emptyPolicy), required("spec.auditAnnotations", emptyPolicy)];
  const environment = variables.length > 0 ? types.environment : { params, authorizer: true };
  for (const [index, validation] of validations.entries())
    errors.push(...validateValidation(validation, `spec.validations[${index}]`, environment));
  errors.push(...validateAnnotations(auditAnnotations, object.metadata.name ?? "", environment));
  return errors;
}

function expressionFault(outcome: Outcome, expression: string, field: string): FieldError[] {
  return outcome.type === "fault" ? [invalid(field, expression, outcome.detail)] : [];
}

function validateParamKind({ apiVersion = "", kind = "" }: ParamKind): FieldError[] {
  const errors: FieldError[] = [];
  const field = "spec.paramKind.apiVersion";
  const [group = "", version = "", ...rest] = apiVersion.includes("/") ? apiVersion.split("/") : ["", apiVersion];
  if (apiVersion === "") errors.push(required(field));
  else if (rest.length > 0) errors.push(invalid(field, apiVersion, `unexpected GroupVersion string: ${apiVersion}`));
  else {
    const groupFaults = group === "" ? [] : dnsSubdomain(group);
    if (groupFaults.length > 0) errors.push(invalid(field, group, groupFaults.join(",")));
    const versionFaults = dns1035Label(version);
    if (version === "") errors.push(invalid(field, apiVersion, "version must be specified"));
    else if (versionFaults.length > 0) errors.push(invalid(field, version, versionFaults.join(",")));
  }
  const kindFaults = dns1035Label(kind.toLowerCase());
  if (kind === "") errors.push(required("spec.paramKind.kind"));
  else if (kindFaults.length > 0)
    errors.push(
      invalid("spec.paramKind.kind", kind, `may have mixed case, but should otherwise match: ${kindFaults.join(",")}`),
    );
  return errors;
}

function validateValidation(validation: Validation, field: string, environment: Environment): FieldError[] {
  const { expression, message = "", messageExpression = "", reason } = validation;
  const errors: FieldError[] = [];
  if (expression.trim() === "") errors.push(required(`${field}.expression`, "expression is not specified"));
  else
    errors.push(...expressionFault(compileAbout(expression, environment, "bool"), expression, `${field}.expression`));
  if (messageExpression !== "" && messageExpression.trim() === "")
    errors.push(invalid(`${field}.messageExpression`, messageExpression, "must be non-empty if specified"));
  else if (messageExpression !== "") {
    const outcome = compileAbout(messageExpression, { ...environment, authorizer: false }, "string");
    errors.push(...expressionFault(outcome, messageExpression, `${field}.messageExpression`));
  }
  if (message !== "" && message.trim() === "")
    errors.push(invalid(`${field}.message`, message, "must be non-empty if specified"));
  else if (/[\n\r]/.test(message.trim()))
    errors.push(invalid(`${field}.message`, message, "must not contain line breaks"));
  if (reason !== undefined && !reasons.includes(reason)) errors.push(notSupported(`${field}.reason`, reason, reasons));
  return errors;
}

function validateAnnotations(
  annotations: readonly AuditAnnotation[],
  policy: string,
  environment: Environment,
): FieldError[] {
  const errors: FieldError[] = [];
  const field = "spec.auditAnnotations";
  const keys = new Set<string>();
  if (annotations.length > mostAnnotations)
    errors.push(invalid(field, annotations, `must not have more than ${mostAnnotations} auditAnnotations`));
  for (const [index, { key, valueExpression }] of annotations.entries()) {
    const at = `${field}[${index}]`;
    if (policy === "") errors.push(invalid(`${at}.key`, key, "requires metadata.name be non-empty"));
    else
      for (const fault of qualifiedName(`${policy}/${key}`))
        errors.push(invalid(`${at}.key`, `${policy}/${key}`, fault));
    const trimmed = valueExpression.trim();
    if (trimmed === "") errors.push(required(`${at}.valueExpression`, "valueExpression is not specified"));
    else if (byteLength(trimmed) > longestAnnotation)
      errors.push(required(`${at}.valueExpression`, `must not exceed ${longestAnnotation} bytes in length`));
    else {
      const outcome = compileAbout(trimmed, environment, "string or null");
      errors.push(...expressionFault(outcome, valueExpression, `${at}.valueExpression`));
    }
    if (keys.has(key)) errors.push(duplicate(`${at}.key`, key));
    keys.add(key);
  }
  return errors;
}

const identifier = /^[_a-zA-Z][_a-zA-Z0-9]*$/;
const reserved = new Set(
  "true false null in as break const continue else for function if import let loop package namespace return var void while".split(
    " ",
  ),
);

const isIdentifier = (name: string): boolean => identifier.test(name) && !reserved.has(name);
