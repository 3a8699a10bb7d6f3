import { filesOf } from "../../language/ignition/config.ts";
import type { MachineConfig } from "../machine-config/api.ts";
import { at } from "../../language/object/json.ts";
import type { KubeObject } from "../../language/object/meta.ts";
import { pinningPaths } from "./pinning-files.ts";
import { type PartitioningMode, partitioningMode } from "./partitioning-mode.ts";

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
