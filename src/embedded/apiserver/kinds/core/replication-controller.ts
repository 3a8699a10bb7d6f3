import type { PodTemplateSpec, ReplicationController, ReplicationControllerSpec } from "kubernetes-types/core/v1.js";
import type { KubeObject } from "../../../../language/object/meta.ts";
import { type FieldError, invalid, required } from "../../../../language/schema/field-error.ts";
import type { Subresource } from "../../resource.ts";
import { atLeast } from "../bounds.ts";
import { ageColumn, nameColumn, orNone, stringColumn } from "../columns.ts";
import { defineKind } from "../define-kind.ts";
import { defaultPodSpec } from "./pod/defaults.ts";
import { validatePodTemplate, validateRunsAlways } from "./pod-template.ts";
import { validateReplicaCounts, workloadScale } from "../apps/define-workload.ts";
import { replicaColumns, templateColumns } from "../apps/workload-columns.ts";

const specOf = (object: KubeObject): ReplicationControllerSpec => object.spec as ReplicationControllerSpec;

/** `a=b,c=d`: the selector is a map of labels. */
const labelsOf = (object: KubeObject): string =>
  Object.entries(specOf(object).selector ?? {})
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}=${value}`)
    .join(",");

const scale: Subresource = { ...workloadScale, labelSelector: labelsOf };

export const replicationController = defineKind({
  group: "",
  version: "v1",
  kind: "ReplicationController",
  plural: "replicationcontrollers",
  shortNames: ["rc"],
  categories: ["all"],
  namespaced: true,
  selectableFields: { "status.replicas": (object) => String((object as ReplicationController).status?.replicas ?? 0) },
  columns: [
    nameColumn,
    ...replicaColumns,
    ageColumn,
    ...templateColumns,
    stringColumn("Selector", (object) => orNone(labelsOf(object)), 1),
  ],
  strategy: {
    defaults,
    prepareForCreate: (object) => {
      object.status = { replicas: 0 };
    },
    validate,
    hasGeneration: true,
    ignoredFields: ["status"],
    orphans: {},
  },
  subresources: { scale, status: { type: "status", validateUpdate: validateStatus } },
});

/** Selector and labels default to the labels of the template. */
function defaults(object: KubeObject): void {
  const spec = specOf(object);
  spec.replicas ??= 1;
  const { template } = spec;
  if (template?.spec) defaultPodSpec(template.spec);
  const labels = template?.metadata?.labels;
  if (!labels) return;
  if (Object.keys(spec.selector ?? {}).length === 0) spec.selector = { ...labels };
  if (Object.keys(object.metadata.labels ?? {}).length === 0) object.metadata.labels = { ...labels };
}

function validate(object: KubeObject): FieldError[] {
  const { minReadySeconds, selector = {}, replicas, template } = specOf(object);
  const errors = atLeast(minReadySeconds, 0, "spec.minReadySeconds");
  if (Object.keys(selector).length === 0) errors.push(required("spec.selector"));
  errors.push(...atLeast(replicas, 0, "spec.replicas"));
  if (!template) return [...errors, required("spec.template")];
  errors.push(...validateLabelled(template, selector));
  errors.push(...validatePodTemplate(template, "spec.template"));
  errors.push(...validateRunsAlways(template, "ReplicationController"));
  return errors;
}

function validateLabelled({ metadata }: PodTemplateSpec, selector: Readonly<Record<string, string>>): FieldError[] {
  const labels = metadata?.labels ?? {};
  if (Object.entries(selector).every(([key, value]) => Object.hasOwn(labels, key) && labels[key] === value)) return [];
  return [
    invalid("spec.template.metadata.labels", metadata?.labels ?? null, "`selector` does not match template `labels`"),
  ];
}

function validateStatus(object: KubeObject): FieldError[] {
  const parts = ["fullyLabeledReplicas", "readyReplicas", "availableReplicas"];
  const { status } = object as ReplicationController;
  return validateReplicaCounts(status, ["replicas", ...parts, "observedGeneration"], parts);
}
