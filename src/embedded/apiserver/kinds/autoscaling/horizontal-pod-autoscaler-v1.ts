import type { KubeObject } from "../../../../language/object/meta.ts";
import { defineKind } from "../define-kind.ts";
import { fromFirst, toFirst } from "./convert-v1.ts";
import { horizontalPodAutoscaler } from "./horizontal-pod-autoscaler.ts";

const { group, kind, plural, shortNames, categories, namespaced, columns, strategy, subresources } =
  horizontalPodAutoscaler;
const status = subresources.status as Extract<typeof subresources.status, { type: "status" }>;

/** The same autoscalers in version 1, which knows of processors alone. */
export const firstAutoscaler = defineKind({
  group,
  version: "v1",
  kind,
  plural,
  shortNames,
  categories,
  namespaced,
  storedAs: { group, version: "v2", kind, plural, toStored: fromFirst, fromStored: toFirst },
  columns: columns.map((column) => ({ ...column, cell: (object, now) => column.cell(fromFirst(object), now) })),
  strategy: {
    defaults,
    prepareForCreate: (object) => {
      object.status = { currentReplicas: 0, desiredReplicas: 0 };
    },
    // Faults are told in the words of what lies in the store.
    validate: (object) => strategy.validate?.(fromFirst(object)) ?? [],
    ignoredFields: ["status"],
  },
  subresources: {
    status: {
      type: "status",
      validateUpdate: (object: KubeObject, old: KubeObject) =>
        status?.validateUpdate?.(fromFirst(object), fromFirst(old)) ?? [],
    },
  },
});

/** What it says in version 1 is what it comes to in version 2: without any target, one for processors. */
function defaults(object: KubeObject): void {
  (object.spec as { minReplicas?: number }).minReplicas ??= 1;
  const { spec, metadata } = toFirst(fromFirst(object));
  object.spec = spec;
  if (metadata.annotations) object.metadata.annotations = metadata.annotations;
  else delete object.metadata.annotations;
}
