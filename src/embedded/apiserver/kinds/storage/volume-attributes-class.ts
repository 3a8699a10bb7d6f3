import { equal } from "../../../../language/object/json.ts";
import type { KubeObject } from "../../../../language/object/meta.ts";
import { type FieldError, forbidden, required } from "../../../../language/schema/field-error.ts";
import { ageColumn, nameColumn, stringColumn } from "../columns.ts";
import { defineKind } from "../define-kind.ts";
import { validateParameters, validateProvisioner } from "./storage-class.ts";

/** `kubernetes-types` does not have this kind yet. */
type VolumeAttributesClass = KubeObject & {
  readonly driverName: string;
  readonly parameters?: Readonly<Record<string, string>>;
};

const protection = "kubernetes.io/vac-protection";

export const volumeAttributesClass = defineKind({
  group: "storage.k8s.io",
  version: "v1",
  kind: "VolumeAttributesClass",
  plural: "volumeattributesclasses",
  shortNames: ["vac"],
  namespaced: false,
  columns: [
    nameColumn,
    stringColumn("DriverName", (object) => (object as VolumeAttributesClass).driverName),
    ageColumn,
  ],
  strategy: {
    // As kube-apiserver: a class is removed only when no claim or volume uses it.
    admitCreate: ({ metadata }) => {
      if (!metadata.finalizers?.includes(protection))
        metadata.finalizers = [...(metadata.finalizers ?? []), protection];
    },
    validate,
    validateUpdate,
    returnDeleted: true,
  },
});

function validate(object: KubeObject): FieldError[] {
  const { driverName, parameters } = object as VolumeAttributesClass;
  const errors = [...validateProvisioner(driverName, "driverName"), ...validateParameters(parameters)];
  if (Object.keys(parameters ?? {}).length === 0)
    errors.push(required("parameters", "must contain at least one key/value pair"));
  return errors;
}

function validateUpdate(object: KubeObject, old: KubeObject): FieldError[] {
  return ["driverName", "parameters"]
    .filter((field) => !equal(object[field], old[field]))
    .map((field) => forbidden(field, `updates to ${field} are forbidden.`));
}
