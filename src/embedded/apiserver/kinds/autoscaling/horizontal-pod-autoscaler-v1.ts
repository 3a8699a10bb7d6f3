import type { KubeObject } from "../../../../language/object/meta.ts";
import { defineKind } from "../define-kind.ts";
import { fromV1, toV1 } from "./convert-v1.ts";
import { horizontalPodAutoscaler } from "./horizontal-pod-autoscaler.ts";

const { group, kind, plural, shortNames, categories, namespaced, columns, strategy, subresources } =
  horizontalPodAutoscaler;
const status = subresources.status as Extract<typeof subresources.status, { type: "status" }>;

/** The same autoscalers in version 1, whose only metric is CPU utilization. */
export const horizontalPodAutoscalerV1 = defineKind({
  group,
  version: "v1",
  kind,
  plural,
  shortNames,
  categories,
  namespaced,
  storedAs: { group, version: "v2", kind, plural, toStored: fromV1, fromStored: toV1 },
  columns: columns.map((column) => ({ ...column, cell: (object, now) => column.cell(fromV1(object), now) })),
  strategy: {
    defaults,
    prepareForCreate: (object) => {
      object.status = { currentReplicas: 0, desiredReplicas: 0 };
    },
    // Faults name the fields of the stored version.
    validate: (object) => strategy.validate?.(fromV1(object)) ?? [],
    ignoredFields: ["status"],
  },
  subresources: {
    status: {
      type: "status",
      validateUpdate: (object: KubeObject, old: KubeObject) =>
        status?.validateUpdate?.(fromV1(object), fromV1(old)) ?? [],
    },
  },
});

/** Applies the defaults of version 2: without any metric, a target for CPU utilization. */
function defaults(object: KubeObject): void {
  (object.spec as { minReplicas?: number }).minReplicas ??= 1;
  const { spec, metadata } = toV1(fromV1(object));
  object.spec = spec;
  if (metadata.annotations) object.metadata.annotations = metadata.annotations;
  else delete object.metadata.annotations;
}
