import type { IngressClass } from "kubernetes-types/networking/v1.js";
import type { KubeObject } from "../../../../language/object/meta.ts";
import { type FieldError, immutable, required } from "../../../../language/schema/field-error.ts";
import { ageColumn, nameColumn, orNone, stringColumn, typed } from "../columns.ts";
import { defineKind } from "../define-kind.ts";

export const ingressClass = defineKind({
  group: "networking.k8s.io",
  version: "v1",
  kind: "IngressClass",
  plural: "ingressclasses",
  namespaced: false,
  columns: [
    nameColumn,
    stringColumn(
      "Controller",
      typed<IngressClass>(({ spec }) => spec?.controller ?? ""),
    ),
    stringColumn(
      "Parameters",
      typed<IngressClass>(({ spec }) => {
        const { apiGroup, kind, name } = spec?.parameters ?? {};
        return orNone([apiGroup ? `${kind}.${apiGroup}` : kind, name].filter(Boolean).join("/"));
      }),
    ),
    ageColumn,
  ],
  strategy: {
    defaults: (object) => {
      const { parameters } = specOf(object);
      if (parameters) parameters.scope ??= "Cluster";
    },
    validate: (object) => (specOf(object).controller ? [] : [required("spec.controller")]),
    validateUpdate,
    hasGeneration: true,
  },
});

const specOf = (object: KubeObject): NonNullable<IngressClass["spec"]> => (object as IngressClass).spec ?? {};

function validateUpdate(object: KubeObject, old: KubeObject): FieldError[] {
  const { controller } = specOf(object);
  return controller === specOf(old).controller ? [] : [immutable("spec.controller", controller)];
}
