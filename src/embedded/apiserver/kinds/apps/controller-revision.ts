import type { ControllerRevision } from "kubernetes-types/apps/v1.js";
import { equal } from "../../../../language/object/json.ts";
import type { KubeObject } from "../../../../language/object/meta.ts";
import { type FieldError, immutable, required } from "../../../../language/schema/field-error.ts";
import { atLeast } from "../bounds.ts";
import { ageColumn, nameColumn, orNone, stringColumn, typed } from "../columns.ts";
import { defineKind } from "../define-kind.ts";

export const controllerRevision = defineKind({
  group: "apps",
  version: "v1",
  kind: "ControllerRevision",
  plural: "controllerrevisions",
  namespaced: true,
  columns: [
    nameColumn,
    stringColumn("Controller", (object) => orNone(controllerOf(object))),
    stringColumn(
      "Revision",
      typed<ControllerRevision>(({ revision }) => revision),
    ),
    ageColumn,
  ],
  strategy: { validate, validateUpdate },
});

function controllerOf({ metadata }: KubeObject): string {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller);
  if (!owner) return "";
  const [group, version] = owner.apiVersion.split("/");
  const kind = owner.kind.toLowerCase();
  return `${version === undefined ? kind : `${kind}.${group}`}/${owner.name}`;
}

function validate(object: KubeObject): FieldError[] {
  const errors = atLeast(object.revision as number, 0, "revision");
  if (object.data === undefined || object.data === null) errors.push(required("data", "data is mandatory"));
  return errors;
}

function validateUpdate(object: KubeObject, old: KubeObject): FieldError[] {
  return equal(object.data, old.data) ? [] : [immutable("data", object.data)];
}
