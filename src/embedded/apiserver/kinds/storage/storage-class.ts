import type { StorageClass } from "kubernetes-types/storage/v1.js";
import { equal } from "../../../../language/object/json.ts";
import type { KubeObject } from "../../../../language/object/meta.ts";
import { labelValue, qualifiedName } from "../../../../language/object/names.ts";
import {
  type FieldError,
  forbidden,
  immutable,
  invalid,
  notSupported,
  required,
  tooLong,
} from "../../../../language/schema/field-error.ts";
import { ageColumn, nameColumn, stringColumn, typed } from "../columns.ts";
import { defineKind } from "../define-kind.ts";

const isDefault = "storageclass.kubernetes.io/is-default-class";
const reclaims = ["Delete", "Retain"];
const bindings = ["Immediate", "WaitForFirstConsumer"];
const cell = (of: (object: StorageClass) => unknown) => typed<StorageClass>(of);

export const storageClass = defineKind({
  group: "storage.k8s.io",
  version: "v1",
  kind: "StorageClass",
  plural: "storageclasses",
  shortNames: ["sc"],
  namespaced: false,
  columns: [
    {
      ...nameColumn,
      cell: ({ metadata }) =>
        metadata.annotations?.[isDefault] === "true" ? `${metadata.name} (default)` : (metadata.name ?? ""),
    },
    stringColumn(
      "Provisioner",
      cell(({ provisioner }) => provisioner),
    ),
    stringColumn(
      "ReclaimPolicy",
      cell(({ reclaimPolicy }) => reclaimPolicy ?? "Delete"),
    ),
    stringColumn(
      "VolumeBindingMode",
      cell(({ volumeBindingMode }) => volumeBindingMode ?? "Immediate"),
    ),
    stringColumn(
      "AllowVolumeExpansion",
      cell(({ allowVolumeExpansion }) => allowVolumeExpansion ?? false),
    ),
    ageColumn,
  ],
  strategy: {
    defaults: (object) => {
      object.reclaimPolicy ??= "Delete";
      object.volumeBindingMode ??= "Immediate";
    },
    validate,
    validateUpdate,
    returnDeleted: true,
  },
});

function validate(object: KubeObject): FieldError[] {
  const {
    provisioner,
    parameters,
    reclaimPolicy = "",
    volumeBindingMode = "",
    allowedTopologies = [],
  } = object as KubeObject & StorageClass;
  const errors = [...validateProvisioner(provisioner, "provisioner"), ...validateParameters(parameters)];
  if (!reclaims.includes(reclaimPolicy)) errors.push(notSupported("reclaimPolicy", reclaimPolicy, reclaims));
  if (!bindings.includes(volumeBindingMode))
    errors.push(notSupported("volumeBindingMode", volumeBindingMode, bindings));
  for (const [term, { matchLabelExpressions = [] }] of allowedTopologies.entries())
    for (const [index, { key, values }] of matchLabelExpressions.entries()) {
      const at = `allowedTopologies[${term}].matchLabelExpressions[${index}]`;
      for (const reason of qualifiedName(key)) errors.push(invalid(`${at}.key`, key, reason));
      if ((values ?? []).length === 0) errors.push(required(`${at}.values`));
      for (const [i, value] of (values ?? []).entries())
        for (const reason of labelValue(value)) errors.push(invalid(`${at}.values[${i}]`, value, reason));
    }
  return errors;
}

function validateUpdate(object: KubeObject, old: KubeObject): FieldError[] {
  const errors: FieldError[] = [];
  for (const field of ["parameters", "provisioner", "reclaimPolicy"])
    if (!equal(object[field], old[field])) errors.push(forbidden(field, `updates to ${field} are forbidden.`));
  if (object.volumeBindingMode !== old.volumeBindingMode)
    errors.push(immutable("volumeBindingMode", object.volumeBindingMode));
  return errors;
}

const mostParameters = 512;
const mostBytes = 256 * 1024;

export function validateProvisioner(name: string, field: string): FieldError[] {
  if (name === "") return [required(field)];
  const lower = name.toLowerCase();
  return qualifiedName(lower).map((reason) => invalid(field, lower, reason));
}

export function validateParameters(parameters: Readonly<Record<string, string>> = {}): FieldError[] {
  const entries = Object.entries(parameters);
  if (entries.length > mostParameters) return [tooLong("parameters", mostParameters)];
  const bytes = entries.reduce((sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value), 0);
  return [
    ...(Object.hasOwn(parameters, "") ? [invalid("parameters", "", "field can not be empty.")] : []),
    ...(bytes > mostBytes ? [tooLong("parameters", mostBytes)] : []),
  ];
}
