import type { Namespace } from "kubernetes-types/core/v1.js";
import type { KubeObject } from "../../../../language/object/meta.ts";
import { dnsLabel, qualifiedName } from "../../../../language/object/names.ts";
import { type FieldError, invalid } from "../../../../language/schema/field-error.ts";
import { ageColumn, nameColumn, stringColumn, typed } from "../columns.ts";
import { defineKind } from "../define-kind.ts";

const phaseOf = (object: KubeObject): string => (object as Namespace).status?.phase ?? "";

/** kube-apiserver forbids the deletion of these namespaces. */
const undeletable = new Set(["default", "kube-system", "kube-public"]);

export const namespace = defineKind({
  group: "",
  version: "v1",
  kind: "Namespace",
  plural: "namespaces",
  shortNames: ["ns"],
  namespaced: false,
  verbs: ["create", "delete", "get", "list", "patch", "update", "watch"],
  // `name` is the old spelling of `metadata.name`.
  selectableFields: { name: (object) => object.metadata.name ?? "", "status.phase": phaseOf },
  columns: [
    nameColumn,
    stringColumn(
      "Status",
      typed<Namespace>(({ status }) => status?.phase ?? ""),
    ),
    ageColumn,
  ],
  strategy: {
    defaults: (object) => {
      const { metadata } = object;
      if (metadata.name) metadata.labels = { ...metadata.labels, "kubernetes.io/metadata.name": metadata.name };
      if (!phaseOf(object)) object.status = { ...(object as Namespace).status, phase: "Active" };
    },
    prepareForCreate: (object) => {
      object.status = { phase: "Active" };
      // Every namespace gets this finalizer; only the finalize subresource can remove it.
      const spec = ((object as Namespace).spec ??= {});
      if (!spec.finalizers?.includes("kubernetes")) spec.finalizers = [...(spec.finalizers ?? []), "kubernetes"];
    },
    prepareForUpdate: (object, old) => {
      const { finalizers } = (old as Namespace).spec ?? {};
      object.spec = finalizers ? { finalizers } : {};
    },
    validate: (object) => validateFinalizers(object, () => "spec.finalizers"),
    validateName: dnsLabel,
    ignoredFields: ["status"],
    returnDeleted: true,
    refuseDelete: ({ metadata }) =>
      undeletable.has(metadata.name ?? "") ? "this namespace may not be deleted" : undefined,
    onDelete: (object) => ({ ...object, status: { ...(object as Namespace).status, phase: "Terminating" } }),
    isHeld: (object) => ((object as Namespace).spec?.finalizers?.length ?? 0) > 0,
  },
  subresources: {
    status: { type: "status", validateUpdate: validateStatus },
    finalize: {
      type: "status",
      writes: ["spec"],
      verbs: ["update"],
      validateUpdate: (object) => validateFinalizers(object, (index) => `spec.finalizers[${index}]`),
    },
  },
});

/** Errors of the main endpoint name the list, those of the finalize subresource the element. */
function validateFinalizers(object: KubeObject, fieldOf: (index: number) => string): FieldError[] {
  const errors: FieldError[] = [];
  for (const [index, finalizer] of ((object as Namespace).spec?.finalizers ?? []).entries()) {
    const field = fieldOf(index);
    const reasons = qualifiedName(finalizer);
    for (const reason of reasons) errors.push(invalid(field, finalizer, reason));
    if (reasons.length === 0 && !finalizer.includes("/") && finalizer !== "kubernetes")
      errors.push(invalid(field, finalizer, "name is neither a standard finalizer name nor is it fully qualified"));
  }
  return errors;
}

function validateStatus(object: KubeObject): FieldError[] {
  const phase = phaseOf(object);
  if (!object.metadata.deletionTimestamp && phase !== "Active")
    return [invalid("status.Phase", phase, "may only be 'Active' if `deletionTimestamp` is empty")];
  if (object.metadata.deletionTimestamp && phase !== "Terminating")
    return [invalid("status.Phase", phase, "may only be 'Terminating' if `deletionTimestamp` is not empty")];
  return [];
}
