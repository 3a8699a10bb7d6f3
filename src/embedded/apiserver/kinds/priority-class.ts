import type { PriorityClass } from "kubernetes-types/scheduling/v1.js";
import type { KubeObject } from "../../../language/object/meta.ts";
import { type FieldError, forbidden, immutable, notSupported } from "../../../language/schema/field-error.ts";
import { ageColumn, integerColumn, nameColumn, stringColumn, typed } from "./columns.ts";
import { defineKind } from "./define-kind.ts";

const mostForUsers = 1_000_000_000;
const reserved = "system-";
const policies = ["PreemptLowerPriority", "Never"];

export const priorityClass = defineKind({
  group: "scheduling.k8s.io",
  version: "v1",
  kind: "PriorityClass",
  plural: "priorityclasses",
  shortNames: ["pc"],
  namespaced: false,
  columns: [
    nameColumn,
    integerColumn(
      "Value",
      typed<PriorityClass>(({ value }) => value),
    ),
    {
      name: "Global-Default",
      type: "boolean",
      priority: 0,
      cell: typed<PriorityClass>(({ globalDefault }) => globalDefault ?? false),
    },
    ageColumn,
    stringColumn(
      "PreemptionPolicy",
      typed<PriorityClass>(({ preemptionPolicy }) => preemptionPolicy ?? ""),
    ),
  ],
  strategy: {
    defaults: (object) => {
      object.preemptionPolicy ??= "PreemptLowerPriority";
    },
    // Its generation is always 1: no update increments it.
    prepareForCreate: ({ metadata }) => {
      metadata.generation = 1;
    },
    validate,
    validateUpdate,
    refuseDelete: ({ metadata }) =>
      metadata.name && Object.hasOwn(systemPriorities, metadata.name)
        ? "this is a system priority class and cannot be deleted"
        : undefined,
  },
});

function validate(object: KubeObject): FieldError[] {
  const { metadata, value, preemptionPolicy = "" } = object as KubeObject & PriorityClass;
  const name = metadata.name ?? "";
  const errors: FieldError[] = [];
  if (name.startsWith(reserved)) {
    if (!Object.hasOwn(systemPriorities, name) || systemPriorities[name] !== value)
      errors.push(
        forbidden(
          "metadata.name",
          `priority class names with '${reserved}' prefix are reserved for system use only. error: ${name} is not a known system priority class`,
        ),
      );
  } else if (value > mostForUsers)
    errors.push(forbidden("value", `maximum allowed value of a user defined priority is ${mostForUsers}`));
  if (!policies.includes(preemptionPolicy)) errors.push(notSupported("preemptionPolicy", preemptionPolicy, policies));
  return errors;
}

function validateUpdate(object: KubeObject, old: KubeObject): FieldError[] {
  const errors: FieldError[] = [];
  if (object.value !== old.value) errors.push(forbidden("value", "may not be changed in an update."));
  if (object.preemptionPolicy !== old.preemptionPolicy)
    errors.push(immutable("preemptionPolicy", object.preemptionPolicy));
  return errors;
}

/** The priority classes that every cluster has. Their values are above those that users may define. */
export const systemPriorities: Readonly<Record<string, number>> = {
  "system-cluster-critical": 2_000_000_000,
  "system-node-critical": 2_000_001_000,
};
