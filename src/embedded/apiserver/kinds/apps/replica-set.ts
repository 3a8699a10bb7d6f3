import type { ReplicaSet, ReplicaSetSpec } from "kubernetes-types/apps/v1.js";
import type { PodTemplateSpec } from "kubernetes-types/core/v1.js";
import type { KubeObject } from "../../../../language/object/meta.ts";
import type { FieldError } from "../../../../language/schema/field-error.ts";
import { atLeast } from "../bounds.ts";
import { defineWorkload, validateSelectorUpdate, validateReplicaCounts } from "./define-workload.ts";
import { defaultPodSpec } from "../core/pod/defaults.ts";
import { validatePodTemplate, validateRunsAlways, validateWorkloadSelector } from "../core/pod-template.ts";
import { replicaColumns, selectorColumn } from "./workload-columns.ts";

type Spec = ReplicaSetSpec & { template: PodTemplateSpec };

const specOf = (object: KubeObject): Spec => object.spec as Spec;

export const replicaSet = defineWorkload({
  kind: "ReplicaSet",
  plural: "replicasets",
  shortName: "rs",
  selectableFields: { "status.replicas": (object) => String((object as ReplicaSet).status?.replicas ?? 0) },
  columns: replicaColumns,
  wideColumns: [selectorColumn("<none>")],
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
    validateUpdate: validateSelectorUpdate,
  },
  validateStatus,
  scales: true,
});

function validate(object: KubeObject): FieldError[] {
  const spec = specOf(object);
  const errors = atLeast(spec.replicas, 0, "spec.replicas");
  errors.push(...atLeast(spec.minReadySeconds, 0, "spec.minReadySeconds"));
  // As kube-apiserver, names a deployment here.
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
