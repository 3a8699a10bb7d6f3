import type { DaemonSet, DaemonSetSpec, DaemonSetStatus } from "kubernetes-types/apps/v1.js";
import { equal } from "../../../../language/object/json.ts";
import type { KubeObject } from "../../../../language/object/meta.ts";
import { type FieldError, invalid, notSupported, required } from "../../../../language/schema/field-error.ts";
import { atLeast, isZero, validateAtMost100Percent, validateIntOrPercent } from "../bounds.ts";
import { orNone, stringColumn, typed } from "../columns.ts";
import { defineWorkload, validateSelectorUpdate } from "./define-workload.ts";
import { defaultPodSpec } from "../core/pod/defaults.ts";
import { validatePodTemplate, validateRunsAlways, validateWorkloadSelector } from "../core/pod-template.ts";
import { countColumn, selectorColumn } from "./workload-columns.ts";

/** Counts changes of the template. A former field of the spec, now kept in an annotation. */
const templateGeneration = "deprecated.daemonset.template.generation";

const specOf = (object: KubeObject): DaemonSetSpec => object.spec as DaemonSetSpec;

export const daemonSet = defineWorkload({
  kind: "DaemonSet",
  plural: "daemonsets",
  shortName: "ds",
  columns: [
    countColumn("Desired", "desiredNumberScheduled"),
    countColumn("Current", "currentNumberScheduled"),
    countColumn("Ready", "numberReady"),
    countColumn("Up-to-date", "updatedNumberScheduled"),
    countColumn("Available", "numberAvailable"),
    stringColumn(
      "Node Selector",
      typed<DaemonSet>(({ spec }) =>
        orNone(
          Object.entries(spec?.template.spec?.nodeSelector ?? {})
            .map(([key, value]) => `${key}=${value}`)
            .toSorted()
            .join(","),
        ),
      ),
    ),
  ],
  wideColumns: [selectorColumn("<none>")],
  strategy: {
    defaults,
    prepareForCreate: (object) => {
      object.status = emptyStatus();
      const given = Number(object.metadata.annotations?.[templateGeneration]);
      setTemplateGeneration(object, given >= 1 ? given : 1);
    },
    prepareForUpdate: (object, old) => {
      const before = Number(old.metadata.annotations?.[templateGeneration] ?? 1);
      setTemplateGeneration(object, equal(specOf(object).template, specOf(old).template) ? before : before + 1);
    },
    validate,
    validateUpdate: validateSelectorUpdate,
  },
  validateStatus,
  scales: false,
});

const emptyStatus = (): DaemonSetStatus => ({
  currentNumberScheduled: 0,
  numberMisscheduled: 0,
  desiredNumberScheduled: 0,
  numberReady: 0,
});

function setTemplateGeneration({ metadata }: KubeObject, value: number): void {
  metadata.annotations = { ...metadata.annotations, [templateGeneration]: String(value) };
}

function defaults(object: KubeObject): void {
  const spec = specOf(object);
  // kube-apiserver sets it while decoding, so the manager that writes the object owns it.
  if (object.metadata.annotations?.[templateGeneration] === undefined) setTemplateGeneration(object, 0);
  if (spec.template.spec) defaultPodSpec(spec.template.spec);
  const strategy = (spec.updateStrategy ??= {});
  strategy.type ??= "RollingUpdate";
  if (strategy.type === "RollingUpdate") {
    const rolling = (strategy.rollingUpdate ??= {});
    rolling.maxUnavailable ??= 1;
    rolling.maxSurge ??= 0;
  }
  spec.revisionHistoryLimit ??= 10;
}

function validate(object: KubeObject): FieldError[] {
  const spec = specOf(object);
  const errors = validateWorkloadSelector(spec.selector, spec.template, "daemonset");
  errors.push(...validatePodTemplate(spec.template, "spec.template"));
  errors.push(...validateRunsAlways(spec.template, "DaemonSet"));
  errors.push(...atLeast(spec.minReadySeconds, 0, "spec.minReadySeconds"));
  errors.push(...validateStrategy(spec.updateStrategy ?? {}));
  errors.push(...atLeast(spec.revisionHistoryLimit, 0, "spec.revisionHistoryLimit"));
  return errors;
}

function validateStrategy({ type, rollingUpdate }: NonNullable<DaemonSetSpec["updateStrategy"]>): FieldError[] {
  const at = "spec.updateStrategy";
  if (type === "OnDelete") return [];
  if (type !== "RollingUpdate")
    return [notSupported(at, { Type: type, RollingUpdate: rollingUpdate ?? null }, ["RollingUpdate", "OnDelete"])];
  if (!rollingUpdate) return [required(`${at}.rollingUpdate`)];
  const { maxUnavailable = 0, maxSurge = 0 } = rollingUpdate;
  const errors = [
    ...validateIntOrPercent(maxUnavailable, `${at}.rollingUpdate.maxUnavailable`),
    ...validateAtMost100Percent(maxUnavailable, `${at}.rollingUpdate.maxUnavailable`),
    ...validateIntOrPercent(maxSurge, `${at}.rollingUpdate.maxSurge`),
    ...validateAtMost100Percent(maxSurge, `${at}.rollingUpdate.maxSurge`),
  ];
  if (isZero(maxUnavailable) && isZero(maxSurge))
    errors.push(required(`${at}.rollingUpdate.maxUnavailable`, "cannot be 0 when maxSurge is 0"));
  if (!isZero(maxUnavailable) && !isZero(maxSurge))
    errors.push(invalid(`${at}.rollingUpdate.maxSurge`, maxSurge, "may not be set when maxUnavailable is non-zero"));
  return errors;
}

const counts = [
  "currentNumberScheduled",
  "numberMisscheduled",
  "desiredNumberScheduled",
  "numberReady",
  "observedGeneration",
  "updatedNumberScheduled",
  "numberAvailable",
  "numberUnavailable",
  "collisionCount",
] as const satisfies readonly (keyof DaemonSetStatus)[];

function validateStatus(object: KubeObject): FieldError[] {
  const { status } = object as DaemonSet;
  return counts.flatMap((field) => atLeast(status?.[field], 0, `status.${field}`));
}
