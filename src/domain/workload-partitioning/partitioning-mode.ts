import { at } from "../../language/object/json.ts";
import type { KindRef } from "../../language/object/kind-ref.ts";
import type { KubeObject } from "../../language/object/meta.ts";
import { filesOf } from "../../language/ignition/config.ts";
import type { MachineConfig } from "../machine-config/api.ts";
import { pinningPaths } from "./pinning-files.ts";

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

/** What an installation begins with. */
export interface InstallInput {
  readonly infrastructure?: KubeObject;
  readonly machineConfigs: readonly MachineConfig[];
}

/**
 * Whether the cluster that is being installed is partitioned. Clusters of a single node were, before their Infrastructure
 * could say so: whoever installed one brought the kubelet's file himself.
 */
export function installPartitioning({ infrastructure, machineConfigs }: InstallInput): PartitioningMode {
  const isSingleNode = at(infrastructure, "status", "controlPlaneTopology") === "SingleReplica";
  return isSingleNode && machineConfigs.some(bringsPinning) ? "AllNodes" : partitioningMode(infrastructure);
}

function bringsPinning({ spec }: MachineConfig): boolean {
  return filesOf(spec?.config).some(({ path }) => path === pinningPaths.kubelet);
}
