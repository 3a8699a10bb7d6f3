import { at } from "../../language/object/json.ts";
import type { KindRef, KubeObject } from "../../language/object/meta.ts";
import { filesOf } from "../../language/ignition/config.ts";
import type { MachineConfig } from "../machine-config/api.ts";
import { pinningPaths } from "./pinning-files.ts";

/** A singleton named `cluster`. */
export const infrastructureKind: KindRef = {
  apiVersion: "config.openshift.io/v1",
  kind: "Infrastructure",
  plural: "infrastructures",
  namespaced: false,
};

/** Whether pods of the platform run on reserved CPUs only. Set at installation, for all nodes of a cluster. */
export type PartitioningMode = "None" | "AllNodes";

/** As in the cluster's Infrastructure; any value but `AllNodes` means none. */
export function partitioningMode(infrastructure: KubeObject | undefined): PartitioningMode {
  return at(infrastructure, "status", "cpuPartitioning") === "AllNodes" ? "AllNodes" : "None";
}

/** The manifests of an installation. */
export interface InstallInput {
  readonly infrastructure?: KubeObject | undefined;
  readonly machineConfigs: readonly MachineConfig[];
}

/**
 * Whether a cluster that is being installed is partitioned. A single-node cluster may be without `AllNodes` in its
 * Infrastructure, which older versions did not have: then its manifests have the kubelet's file.
 */
export function installPartitioning({ infrastructure, machineConfigs }: InstallInput): PartitioningMode {
  const isSingleNode = at(infrastructure, "status", "controlPlaneTopology") === "SingleReplica";
  return isSingleNode && machineConfigs.some(hasPinningFile) ? "AllNodes" : partitioningMode(infrastructure);
}

function hasPinningFile({ spec }: MachineConfig): boolean {
  return filesOf(spec?.config).some(({ path }) => path === pinningPaths.kubelet);
}
