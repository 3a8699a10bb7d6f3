import type { ReplicaSet, ReplicaSetSpec } from "kubernetes-types/apps/v1.js";
import type { PodTemplateSpec } from "kubernetes-types/core/v1.js";
import { equal } from "../../object/json.ts";
import type { KubeObject } from "../../object/meta.ts";
import { type FieldError, immutable } from "../../schema/field-error.ts";
import { atLeast } from "./bounds.ts";
import { ageColumn, integerColumn, nameColumn, typed } from "./columns.ts";
import { defineKind } from "./define-kind.ts";
import { defaultPodSpec } from "./pod/defaults.ts";
import { validatePodTemplate, validateRunsAlways, validateWorkloadSelector } from "./pod-template.ts";
import { validateReplicaCounts } from "./replica-counts.ts";
import { selectorColumn, templateColumns } from "./workload-columns.ts";
import { workloadScale } from "./workload-scale.ts";

type Spec = ReplicaSetSpec & { template: PodTemplateSpec };

const specOf = (object: KubeObject): Spec => object.spec as Spec;

export const replicaSet = defineKind({
  group: "apps",
  version: "v1",
  kind: "ReplicaSet",
  plural: "replicasets",
  shortNames: ["rs"],
  categories: ["all"],
  namespaced: true,
  selectableFields: { "status.replicas": (object) => String((object as ReplicaSet).status?.replicas ?? 0) },
  columns: [
    nameColumn,
    integerColumn(
      "Desired",
      typed<ReplicaSet>(({ spec }) => spec?.replicas ?? 0),
    ),
    integerColumn(
      "Current",
      typed<ReplicaSet>(({ status }) => status?.replicas ?? 0),
    ),
    integerColumn(
      "Ready",
      typed<ReplicaSet>(({ status }) => status?.readyReplicas ?? 0),
    ),
    ageColumn,
    ...templateColumns,
    selectorColumn,
  ],
  strategy: {
    defaults: (object) => {
      const spec = specOf(object);
      if (spec.template.spec) defaultPodSpec(spec.template.spec);
      spec.replicas ??= 1;
    },
    prepareForCreate: (object) => {
      object.status = { replicas: 0 };
    },
    validate,
    validateUpdate: (object, old) =>
      equal(specOf(object).selector, specOf(old).selector) ? [] : [immutable("spec.selector", specOf(object).selector)],
    hasGeneration: true,
    ignoredFields: ["status"],
  },
  subresources: {
    scale: workloadScale,
    status: { type: "status", validateUpdate: validateStatus },
  },
});

function validate(object: KubeObject): FieldError[] {
  const spec = specOf(object);
  const errors = atLeast(spec.replicas, 0, "spec.replicas");
  errors.push(...atLeast(spec.minReadySeconds, 0, "spec.minReadySeconds"));
  // The real server speaks of a deployment here too.
  errors.push(...validateWorkloadSelector(spec.selector, spec.template, "deployment"));
  errors.push(...validatePodTemplate(spec.template, "spec.template"));
  errors.push(...validateRunsAlways(spec.template, "ReplicaSet"));
  return errors;
}

function validateStatus(object: KubeObject): FieldError[] {
  const parts = ["fullyLabeledReplicas", "readyReplicas", "availableReplicas"];
  return validateReplicaCounts(
    (object as ReplicaSet).status,
    ["replicas", ...parts, "terminatingReplicas", "observedGeneration"],
    parts,
  );
}
