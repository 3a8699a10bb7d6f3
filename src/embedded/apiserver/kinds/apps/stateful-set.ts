import type { StatefulSet, StatefulSetSpec } from "kubernetes-types/apps/v1.js";
import { equal } from "../../../../language/object/json.ts";
import type { KubeObject } from "../../../../language/object/meta.ts";
import { dnsLabel } from "../../../../language/object/names.ts";
import {
  type FieldError,
  forbidden,
  invalid,
  notSupported,
  required,
} from "../../../../language/schema/field-error.ts";
import { atLeast } from "../bounds.ts";
import { defaultClaim, validateClaimSpec } from "../storage/claim-spec.ts";
import { defineWorkload, validateReplicaCounts } from "./define-workload.ts";
import { defaultPodSpec } from "../core/pod/defaults.ts";
import { validatePodTemplate, validateRunsAlways, validateWorkloadSelector } from "../core/pod-template.ts";
import { readyColumn } from "./workload-columns.ts";

/** With fields that `kubernetes-types` does not have yet. */
type Spec = StatefulSetSpec & {
  ordinals?: { start?: number };
  persistentVolumeClaimRetentionPolicy?: { whenDeleted?: string; whenScaled?: string };
};

const specOf = (object: KubeObject): Spec => object.spec as Spec;

export const statefulSet = defineWorkload({
  kind: "StatefulSet",
  plural: "statefulsets",
  shortName: "sts",
  columns: [readyColumn],
  strategy: {
    defaults,
    prepareForCreate: (object) => {
      object.status = { replicas: 0, availableReplicas: 0 };
      dropUnreleased(specOf(object));
    },
    prepareForUpdate: (object) => dropUnreleased(specOf(object)),
    validate,
    validateUpdate,
  },
  validateStatus,
  scales: true,
});

function defaults(object: KubeObject): void {
  const spec = specOf(object);
  if (spec.template.spec) defaultPodSpec(spec.template.spec);
  spec.podManagementPolicy ??= "OrderedReady";
  const strategy = (spec.updateStrategy ??= {});
  if (strategy.type === undefined) {
    strategy.type = "RollingUpdate";
    strategy.rollingUpdate ??= {};
  }
  if (strategy.type === "RollingUpdate" && strategy.rollingUpdate) strategy.rollingUpdate.partition ??= 0;
  const retention = (spec.persistentVolumeClaimRetentionPolicy ??= {});
  retention.whenDeleted ??= "Retain";
  retention.whenScaled ??= "Retain";
  spec.replicas ??= 1;
  spec.revisionHistoryLimit ??= 10;
  for (const claim of spec.volumeClaimTemplates ?? []) {
    claim.apiVersion ??= "v1";
    claim.kind ??= "PersistentVolumeClaim";
    defaultClaim(claim);
  }
}

/** kube-apiserver drops `maxUnavailable` while the feature gate MaxUnavailableStatefulSet is off. */
function dropUnreleased({ updateStrategy }: Spec): void {
  delete (updateStrategy?.rollingUpdate as { maxUnavailable?: unknown } | undefined)?.maxUnavailable;
}

function validate(object: KubeObject): FieldError[] {
  const spec = specOf(object);
  const errors: FieldError[] = [];
  const { podManagementPolicy: order } = spec;
  if (!order) errors.push(required("spec.podManagementPolicy"));
  else if (order !== "OrderedReady" && order !== "Parallel")
    errors.push(invalid("spec.podManagementPolicy", order, "must be 'OrderedReady' or 'Parallel'"));
  errors.push(...validateStrategy(spec.updateStrategy ?? {}));
  errors.push(...validateRetention(spec.persistentVolumeClaimRetentionPolicy ?? {}));
  errors.push(...atLeast(spec.replicas, 0, "spec.replicas"));
  errors.push(...atLeast(spec.minReadySeconds, 0, "spec.minReadySeconds"));
  errors.push(...atLeast(spec.ordinals?.start, 0, "spec.ordinals.start"));
  if (spec.serviceName)
    for (const reason of dnsLabel(spec.serviceName)) errors.push(invalid("spec.serviceName", spec.serviceName, reason));
  for (const [index, claim] of (spec.volumeClaimTemplates ?? []).entries())
    errors.push(...validateClaimSpec(claim.spec ?? {}, `spec.volumeClaimTemplates[${index}].spec`));
  errors.push(...validateWorkloadSelector(spec.selector, spec.template, "statefulset"));
  errors.push(...validatePodTemplate(withClaims(spec), "spec.template"));
  errors.push(...validateRunsAlways(spec.template, "StatefulSet"));
  return errors;
}

/** The template of the actual pods: each claim is a volume of that name, and replaces a volume of the template. */
function withClaims({ template, volumeClaimTemplates = [] }: Spec): Spec["template"] {
  if (volumeClaimTemplates.length === 0 || !template.spec) return template;
  const claims = volumeClaimTemplates.map(({ metadata }) => ({
    name: metadata?.name ?? "",
    persistentVolumeClaim: { claimName: metadata?.name ?? "" },
  }));
  const names = new Set(claims.map(({ name }) => name));
  const own = (template.spec.volumes ?? []).filter(({ name }) => !names.has(name));
  return { ...template, spec: { ...template.spec, volumes: [...claims, ...own] } };
}

function validateStrategy({ type, rollingUpdate }: NonNullable<Spec["updateStrategy"]>): FieldError[] {
  const at = "spec.updateStrategy";
  const { partition, maxUnavailable = null } = (rollingUpdate ?? {}) as {
    partition?: number;
    maxUnavailable?: unknown;
  };
  const shown = rollingUpdate ? { Partition: partition ?? 0, MaxUnavailable: maxUnavailable } : null;
  if (!type) return [required(at)];
  if (type === "OnDelete")
    return shown ? [invalid(`${at}.rollingUpdate`, shown, "only allowed for updateStrategy 'RollingUpdate'")] : [];
  if (type === "RollingUpdate") return atLeast(partition, 0, `${at}.rollingUpdate.partition`);
  return [invalid(at, { Type: type, RollingUpdate: shown }, "must be 'RollingUpdate' or 'OnDelete'")];
}

function validateRetention(policy: NonNullable<Spec["persistentVolumeClaimRetentionPolicy"]>): FieldError[] {
  return (["whenDeleted", "whenScaled"] as const).flatMap((field) =>
    ["Retain", "Delete"].includes(policy[field] ?? "")
      ? []
      : [notSupported(`spec.persistentVolumeClaimRetentionPolicy.${field}`, policy[field], ["Retain", "Delete"])],
  );
}

const mutable = new Set([
  "replicas",
  "ordinals",
  "template",
  "updateStrategy",
  "revisionHistoryLimit",
  "persistentVolumeClaimRetentionPolicy",
  "minReadySeconds",
]);

function validateUpdate(object: KubeObject, old: KubeObject): FieldError[] {
  const fixed = (spec: Spec): object =>
    Object.fromEntries(Object.entries(spec).filter(([field]) => !mutable.has(field)));
  return equal(fixed(specOf(object)), fixed(specOf(old)))
    ? []
    : [
        forbidden(
          "spec",
          "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
        ),
      ];
}

function validateStatus(object: KubeObject): FieldError[] {
  const parts = ["readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"];
  return validateReplicaCounts(
    (object as StatefulSet).status,
    ["replicas", ...parts, "observedGeneration", "collisionCount"],
    parts,
    "status.readyReplicas",
  );
}
