import type { KubeObject } from "../../language/object/meta.ts";
import { filesOf } from "../../language/ignition/config.ts";
import type { MachineConfig } from "../machine-config/api.ts";
import { type PartitioningMode, partitioningStatus } from "./identifier.ts";
import { pinningPaths } from "./pinning-files.ts";

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
  const { mode, controlPlaneTopology } = partitioningStatus(infrastructure);
  const isSingleNode = controlPlaneTopology === "SingleReplica";
  return isSingleNode && machineConfigs.some((config) => hasFile(config, pinningPaths.kubelet)) ? "AllNodes" : mode;
}

export function hasFile({ spec }: MachineConfig, wanted: string): boolean {
  return filesOf(spec?.config).some(({ path }) => path === wanted);
}
