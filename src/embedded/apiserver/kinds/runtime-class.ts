import type { RuntimeClass } from "kubernetes-types/node/v1.js";
import type { KubeObject } from "../../../language/object/meta.ts";
import { dnsLabel } from "../../../language/object/names.ts";
import { type FieldError, immutable, invalid } from "../../../language/schema/field-error.ts";
import { ageColumn, nameColumn, stringColumn, typed } from "./columns.ts";
import { defineKind } from "./define-kind.ts";
import { validateLabels } from "./label-checks.ts";
import { validateContainerResources } from "./resource-list.ts";
import { validateTolerations } from "./tolerations.ts";

export const runtimeClass = defineKind({
  group: "node.k8s.io",
  version: "v1",
  kind: "RuntimeClass",
  plural: "runtimeclasses",
  namespaced: false,
  columns: [
    nameColumn,
    stringColumn(
      "Handler",
      typed<RuntimeClass>(({ handler }) => handler),
    ),
    ageColumn,
  ],
  strategy: {
    validate,
    validateUpdate: (object, old) => (object.handler === old.handler ? [] : [immutable("handler", object.handler)]),
    createOnUpdate: true,
    requiresVersion: true,
    anyFinalizer: true,
  },
});

function validate(object: KubeObject): FieldError[] {
  const { handler, overhead, scheduling } = object as unknown as RuntimeClass;
  const errors = dnsLabel(handler).map((reason) => invalid("handler", handler, reason));
  errors.push(...validateContainerResources({ limits: overhead?.podFixed }, "overhead"));
  errors.push(...validateLabels(scheduling?.nodeSelector, "scheduling.nodeSelector"));
  errors.push(...validateTolerations(scheduling?.tolerations, "scheduling.tolerations"));
  return errors;
}
