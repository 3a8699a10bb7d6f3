import { at } from "../../language/object/json.ts";
import type { KindRef } from "../../language/object/kind-ref.ts";
import type { KubeObject } from "../../language/object/meta.ts";

/** There is one, named `cluster`. */
export const infrastructureKind: KindRef = {
  apiVersion: "config.openshift.io/v1",
  kind: "Infrastructure",
  plural: "infrastructures",
  namespaced: false,
};

/** Whether the platform's own pods keep to CPUs of their own. Decided when a cluster is installed, for all its nodes. */
export type PartitioningMode = "None" | "AllNodes";

/** As the cluster's Infrastructure says it; nothing but `AllNodes` is yes. */
export function partitioningMode(infrastructure: KubeObject | undefined): PartitioningMode {
  return at(infrastructure, "status", "cpuPartitioning") === "AllNodes" ? "AllNodes" : "None";
}
