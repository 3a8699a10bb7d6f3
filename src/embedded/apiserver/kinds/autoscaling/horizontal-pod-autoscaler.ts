import type {
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerSpec,
  HPAScalingRules,
} from "kubernetes-types/autoscaling/v2.js";
import type { KubeObject } from "../../../../language/object/meta.ts";
import type { FieldError } from "../../../../language/schema/field-error.ts";
import { atLeast } from "../bounds.ts";
import { ageColumn, integerColumn, nameColumn, stringColumn, typed } from "../columns.ts";
import { defineKind } from "../define-kind.ts";
import { describeMetrics } from "./describe-metrics.ts";
import { validateAutoscaler } from "./validate-autoscaler.ts";

const specOf = (object: KubeObject): HorizontalPodAutoscalerSpec => object.spec as HorizontalPodAutoscalerSpec;
const cell = (of: (object: HorizontalPodAutoscaler) => unknown) => typed<HorizontalPodAutoscaler>(of);

export const horizontalPodAutoscaler = defineKind({
  group: "autoscaling",
  version: "v2",
  kind: "HorizontalPodAutoscaler",
  plural: "horizontalpodautoscalers",
  shortNames: ["hpa"],
  categories: ["all"],
  namespaced: true,
  columns: [
    nameColumn,
    stringColumn(
      "Reference",
      cell(({ spec }) => `${spec?.scaleTargetRef.kind}/${spec?.scaleTargetRef.name}`),
    ),
    stringColumn(
      "Targets",
      cell(({ spec, status }) => describeMetrics(spec?.metrics ?? [], status?.currentMetrics ?? [])),
    ),
    stringColumn(
      "MinPods",
      cell(({ spec }) => String(spec?.minReplicas ?? "<unset>")),
    ),
    integerAsText(
      "MaxPods",
      cell(({ spec }) => spec?.maxReplicas ?? 0),
    ),
    integerAsText(
      "Replicas",
      cell(({ status }) => status?.currentReplicas ?? 0),
    ),
    ageColumn,
  ],
  strategy: {
    defaults,
    prepareForCreate: (object) => {
      object.status = { desiredReplicas: 0, currentMetrics: null };
    },
    validate: (object) => validateAutoscaler(specOf(object)),
    ignoredFields: ["status"],
  },
  subresources: { status: { type: "status", validateUpdate: validateStatus } },
});

/** kube-apiserver declares these columns as strings and fills them with numbers. */
function integerAsText(...column: Parameters<typeof integerColumn>): ReturnType<typeof integerColumn> {
  return { ...integerColumn(...column), type: "string" };
}

function defaults(object: KubeObject): void {
  const spec = specOf(object);
  spec.minReplicas ??= 1;
  if ((spec.metrics ?? []).length === 0)
    spec.metrics = [
      { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 80 } } },
    ];
  if (!spec.behavior) return;
  const double = { type: "Percent", value: 100, periodSeconds: 15 };
  const four = { type: "Pods", value: 4, periodSeconds: 15 };
  spec.behavior.scaleUp = withDefaults(spec.behavior.scaleUp, {
    stabilizationWindowSeconds: 0,
    policies: [four, double],
  });
  spec.behavior.scaleDown = withDefaults(spec.behavior.scaleDown, { policies: [double] });
}

const withDefaults = (rules: HPAScalingRules | undefined, defaultRules: HPAScalingRules): HPAScalingRules => ({
  selectPolicy: "Max",
  ...defaultRules,
  ...rules,
});

function validateStatus(object: KubeObject): FieldError[] {
  const { currentReplicas, desiredReplicas } = (object as HorizontalPodAutoscaler).status ?? {};
  return [
    ...atLeast(currentReplicas, 0, "status.currentReplicas"),
    ...atLeast(desiredReplicas, 0, "status.desiredReplicas"),
  ];
}
