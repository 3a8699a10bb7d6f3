import { ignitionConfig } from "../../language/ignition/config.ts";
import { textFile } from "../../language/ignition/file-contents.ts";
import { apiVersion, group, type MachineConfig } from "../machine-config/api.ts";
import type { KubeObject } from "../../language/object/meta.ts";
import { partitioningStatus } from "./identifier.ts";
import { crioPinning, kubeletPinning, pinningPaths } from "./pinning-files.ts";

/** All CPUs, until a PerformanceProfile has files of its own: they override the one file and replace the other. */
const anyCpu = "";

/** The files of the default, in the order in which it has them. */
export const bootstrapFiles = [pinningPaths.kubelet, pinningPaths.crioDefault] as const;
export type BootstrapFile = (typeof bootstrapFiles)[number];

/** Partitions the nodes of a role from their first boot. `4.13`: as the first version of OpenShift wrote it. */
export function bootstrapMachineConfig(
  role: string,
  paths: readonly BootstrapFile[] | "4.13" = bootstrapFiles,
): MachineConfig {
  const kubelet = kubeletPinning(anyCpu);
  const files =
    paths === "4.13"
      ? [textFile(pinningPaths.kubelet, 0o644, kubelet.trimStart())]
      : paths.map((path) => textFile(path, 0o644, path === pinningPaths.kubelet ? kubelet : crioPinning(anyCpu)));
  return {
    apiVersion,
    kind: "MachineConfig",
    metadata: { name: bootstrapName(role), labels: { [`${group}/role`]: role } },
    spec: {
      config: ignitionConfig(files),
    },
  };
}

/** Of the MachineConfig for a role. */
export function bootstrapName(role: string): string {
  return `01-${role}-cpu-partitioning`;
}

/** The roles of nodes of a new cluster: those of its topology, and those of the given pools. */
export function bootstrapRoles(infrastructure: KubeObject | undefined, pools: readonly string[]): string[] {
  const { controlPlaneTopology } = partitioningStatus(infrastructure);
  const arbiter = controlPlaneTopology === "HighlyAvailableArbiter" ? ["arbiter"] : [];
  return [...new Set(["master", "worker", ...arbiter, ...pools])];
}
