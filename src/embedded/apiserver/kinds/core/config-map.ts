import type { ConfigMap } from "kubernetes-types/core/v1.js";
import { byteLength } from "../../../../language/object/byte-length.ts";
import { equal } from "../../../../language/object/json.ts";
import type { KubeObject } from "../../../../language/object/meta.ts";
import { configMapKey } from "../../../../language/object/names.ts";
import { type FieldError, forbidden, invalid, tooLong } from "../../../../language/schema/field-error.ts";
import { base64Size } from "../decode/base64.ts";
import { ageColumn, nameColumn, stringColumn, typed } from "../columns.ts";
import { defineKind } from "../define-kind.ts";

/** Limit for all values of a ConfigMap or Secret together, in bytes. */
export const maxDataSize = 1024 * 1024;

export const configMap = defineKind({
  group: "",
  version: "v1",
  kind: "ConfigMap",
  plural: "configmaps",
  shortNames: ["cm"],
  namespaced: true,
  columns: [
    nameColumn,
    stringColumn(
      "Data",
      typed<ConfigMap>(({ data, binaryData }) => Object.keys(data ?? {}).length + Object.keys(binaryData ?? {}).length),
    ),
    ageColumn,
  ],
  strategy: {
    validate,
    validateUpdate: (object, old) => whenImmutable(object, old, ["immutable", "data", "binaryData"]),
  },
});

function validate(object: KubeObject): FieldError[] {
  const { data = {}, binaryData = {} } = object as ConfigMap;
  const errors: FieldError[] = [];
  let size = 0;
  for (const [key, value] of Object.entries(data)) {
    for (const reason of configMapKey(key)) errors.push(invalid(`data[${key}]`, key, reason));
    if (Object.hasOwn(binaryData, key))
      errors.push(invalid(`data[${key}]`, key, "duplicate of key present in binaryData"));
    size += byteLength(value);
  }
  for (const [key, value] of Object.entries(binaryData)) {
    for (const reason of configMapKey(key)) errors.push(invalid(`binaryData[${key}]`, key, reason));
    size += base64Size(value);
  }
  if (size > maxDataSize) errors.push(tooLong("[]", maxDataSize));
  return errors;
}

/** `immutable` may be set at any time, and never unset. */
export function whenImmutable(object: KubeObject, old: KubeObject, fields: readonly string[]): FieldError[] {
  if (old.immutable !== true) return [];
  return fields
    .filter((field) => !equal(object[field], old[field]))
    .map((field) => forbidden(field, "field is immutable when `immutable` is set"));
}
