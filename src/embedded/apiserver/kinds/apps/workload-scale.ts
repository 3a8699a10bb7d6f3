import type { LabelSelector } from "kubernetes-types/meta/v1.js";
import { formatLabelSelector, fromLabelSelector } from "../../../../language/object/label-selector.ts";
import type { Subresource } from "../../resource.ts";

/** How many pods a workload is to have, as every scaler reads and writes it. */
export const workloadScale = {
  type: "scale",
  specReplicasPath: ".spec.replicas",
  statusReplicasPath: ".status.replicas",
  labelSelector: (object) =>
    formatLabelSelector(fromLabelSelector((object.spec as { selector?: LabelSelector }).selector)),
} as const satisfies Subresource;
