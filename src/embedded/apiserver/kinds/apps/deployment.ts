import type { Deployment, DeploymentSpec } from "kubernetes-types/apps/v1.js";
import type { KubeObject } from "../../../../language/object/meta.ts";
import { type FieldError, forbidden, invalid, notSupported } from "../../../../language/schema/field-error.ts";
import { atLeast, isZero, validateAtMost100Percent, validateIntOrPercent } from "../bounds.ts";
import { stringColumn } from "../columns.ts";
import { defineWorkload, validateSelectorUpdate, validateReplicaCounts } from "./define-workload.ts";
import { defaultPodSpec } from "../core/pod/defaults.ts";
import { validatePodTemplate, validateRunsAlways, validateWorkloadSelector } from "../core/pod-template.ts";
import { countColumn, readyColumn, selectorColumn } from "./workload-columns.ts";

const specOf = (object: KubeObject): DeploymentSpec => object.spec as DeploymentSpec;

export const deployment = defineWorkload({
  kind: "Deployment",
  plural: "deployments",
  shortName: "deploy",
  columns: [
    readyColumn,
    countColumn("Up-to-date", "updatedReplicas", stringColumn),
    countColumn("Available", "availableReplicas", stringColumn),
  ],
  wideColumns: [selectorColumn("")],
  strategy: {
    defaults,
    prepareForCreate: (object) => {
      object.status = {};
    },
    validate,
    validateUpdate: validateSelectorUpdate,
  },
  validateStatus,
  scales: true,
});

function defaults(object: KubeObject): void {
  const spec = specOf(object);
  if (spec.template.spec) defaultPodSpec(spec.template.spec);
  spec.replicas ??= 1;
  const strategy = (spec.strategy ??= {});
  strategy.type ??= "RollingUpdate";
  if (strategy.type === "RollingUpdate") {
    const rolling = (strategy.rollingUpdate ??= {});
    rolling.maxUnavailable ??= "25%";
    rolling.maxSurge ??= "25%";
  }
  spec.revisionHistoryLimit ??= 10;
  spec.progressDeadlineSeconds ??= 600;
}

function validate(object: KubeObject): FieldError[] {
  const spec = specOf(object);
  const errors = atLeast(spec.replicas, 0, "spec.replicas");
  errors.push(...validateWorkloadSelector(spec.selector, spec.template, "deployment"));
  errors.push(...validatePodTemplate(spec.template, "spec.template"));
  // As kube-apiserver, names ReplicaSet here.
  errors.push(...validateRunsAlways(spec.template, "ReplicaSet"));
  errors.push(...validateStrategy(spec.strategy ?? {}));
  errors.push(...atLeast(spec.minReadySeconds, 0, "spec.minReadySeconds"));
  errors.push(...atLeast(spec.revisionHistoryLimit, 0, "spec.revisionHistoryLimit"));
  const { progressDeadlineSeconds: deadline, minReadySeconds = 0 } = spec;
  errors.push(...atLeast(deadline, 0, "spec.progressDeadlineSeconds"));
  if (deadline !== undefined && deadline <= minReadySeconds)
    errors.push(invalid("spec.progressDeadlineSeconds", deadline, "must be greater than minReadySeconds"));
  return errors;
}

function validateStrategy({ type, rollingUpdate }: NonNullable<DeploymentSpec["strategy"]>): FieldError[] {
  const at = "spec.strategy";
  if (type === "Recreate")
    return rollingUpdate
      ? [forbidden(`${at}.rollingUpdate`, "may not be specified when strategy `type` is 'Recreate'")]
      : [];
  if (type !== "RollingUpdate")
    return [notSupported(at, { Type: type, RollingUpdate: rollingUpdate ?? null }, ["Recreate", "RollingUpdate"])];
  const { maxUnavailable = 0, maxSurge = 0 } = rollingUpdate ?? {};
  const errors = [
    ...validateIntOrPercent(maxUnavailable, `${at}.rollingUpdate.maxUnavailable`),
    ...validateIntOrPercent(maxSurge, `${at}.rollingUpdate.maxSurge`),
  ];
  if (isZero(maxUnavailable) && isZero(maxSurge))
    errors.push(invalid(`${at}.rollingUpdate.maxUnavailable`, maxUnavailable, "may not be 0 when `maxSurge` is 0"));
  errors.push(...validateAtMost100Percent(maxUnavailable, `${at}.rollingUpdate.maxUnavailable`));
  return errors;
}

const counts = [
  "observedGeneration",
  "replicas",
  "updatedReplicas",
  "readyReplicas",
  "availableReplicas",
  "unavailableReplicas",
  "terminatingReplicas",
  "collisionCount",
];

function validateStatus(object: KubeObject, old: KubeObject): FieldError[] {
  const { status } = object as Deployment;
  const errors = validateReplicaCounts(status, counts, ["updatedReplicas", "readyReplicas", "availableReplicas"]);
  const before = (old as Deployment).status?.collisionCount ?? 0;
  if ((status?.collisionCount ?? 0) < before)
    errors.push(invalid("status.collisionCount", status?.collisionCount ?? 0, "cannot be decremented"));
  return errors;
}
