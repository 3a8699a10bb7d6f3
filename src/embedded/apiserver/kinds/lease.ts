import type { Lease } from "kubernetes-types/coordination/v1.js";
import type { KubeObject } from "../../../language/object/meta.ts";
import { type FieldError, invalid } from "../../../language/schema/field-error.ts";
import { ageColumn, nameColumn, stringColumn, typed } from "./columns.ts";
import { defineKind } from "./define-kind.ts";

export const lease = defineKind({
  group: "coordination.k8s.io",
  version: "v1",
  kind: "Lease",
  plural: "leases",
  namespaced: true,
  columns: [
    nameColumn,
    stringColumn(
      "Holder",
      typed<Lease>(({ spec }) => spec?.holderIdentity ?? ""),
    ),
    ageColumn,
  ],
  strategy: { validate, createOnUpdate: true, requiresVersion: true, anyFinalizer: true },
});

function validate(object: KubeObject): FieldError[] {
  const { leaseDurationSeconds, leaseTransitions } = (object as Lease).spec ?? {};
  const errors: FieldError[] = [];
  if (leaseDurationSeconds !== undefined && leaseDurationSeconds <= 0)
    errors.push(invalid("spec.leaseDurationSeconds", leaseDurationSeconds, "must be greater than 0"));
  if (leaseTransitions !== undefined && leaseTransitions < 0)
    errors.push(invalid("spec.leaseTransitions", leaseTransitions, "must be greater than or equal to 0"));
  return errors;
}
