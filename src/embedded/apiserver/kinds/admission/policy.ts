import type { ValidatingAdmissionPolicy } from "kubernetes-types/admissionregistration/v1.js";
import type { KubeObject } from "../../../../language/object/meta.ts";
import { type FieldError, required } from "../../../../language/schema/field-error.ts";
import { defaultMatchResources } from "./match-resources.ts";
import { validatePolicy } from "./validate-policy.ts";
import { ageColumn, integerColumn, nameColumn, stringColumn, typed } from "../columns.ts";
import { defineKind } from "../define-kind.ts";

export const validatingAdmissionPolicy = defineKind({
  group: "admissionregistration.k8s.io",
  version: "v1",
  kind: "ValidatingAdmissionPolicy",
  plural: "validatingadmissionpolicies",
  categories: ["api-extensions"],
  namespaced: false,
  columns: [
    nameColumn,
    integerColumn(
      "Validations",
      typed<ValidatingAdmissionPolicy>(({ spec }) => spec?.validations?.length ?? 0),
    ),
    stringColumn("ParamKind", typed<ValidatingAdmissionPolicy>(paramKindOf)),
    ageColumn,
  ],
  strategy: {
    defaults,
    prepareForCreate: (object) => {
      object.status = {};
    },
    validate: validatePolicy,
    hasGeneration: true,
    ignoredFields: ["status"],
    requiresVersion: true,
  },
  subresources: { status: { type: "status", validateUpdate: validateStatus } },
});

function paramKindOf({ spec }: ValidatingAdmissionPolicy): string {
  const { apiVersion = "", kind = "" } = spec?.paramKind ?? {};
  return spec?.paramKind ? `${apiVersion}/${kind}` : "<unset>";
}

function defaults(object: KubeObject): void {
  const { spec } = object as ValidatingAdmissionPolicy;
  if (!spec) return;
  spec.failurePolicy ??= "Fail";
  defaultMatchResources(spec.matchConstraints);
}

function validateStatus(object: KubeObject): FieldError[] {
  const errors: FieldError[] = [];
  const { status } = object as ValidatingAdmissionPolicy;
  for (const [index, { fieldRef, warning }] of (status?.typeChecking?.expressionWarnings ?? []).entries()) {
    const at = `status.typeChecking.expressionWarnings[${index}]`;
    if (warning === "") errors.push(required(`${at}.warning`));
    if (fieldRef.trim() === "") errors.push(required(`${at}.fieldRef`));
  }
  return errors;
}
