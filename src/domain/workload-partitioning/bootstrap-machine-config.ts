import { ignitionConfig } from "../../language/ignition/config.ts";
import { textFile } from "../../language/ignition/file-contents.ts";
import { apiVersion, group, type MachineConfig } from "../machine-config/api.ts";
import { at } from "../../language/object/json.ts";
import type { KubeObject } from "../../language/object/meta.ts";
import { crioPinning, kubeletPinning, pinningPaths } from "./pinning-files.ts";

/** All CPUs, until a PerformanceProfile has files of its own: they override the one file and replace the other. */
const anyCpu = "";

/** Partitions the nodes of a role from their first boot. */
export function bootstrapMachineConfig(role: string): MachineConfig {
  return {
    apiVersion,
    kind: "MachineConfig",
    metadata: { name: bootstrapName(role), labels: { [`${group}/role`]: role } },
    spec: {
      config: ignitionConfig([
        textFile(pinningPaths.kubelet, 0o644, kubeletPinning(anyCpu)),
        textFile(pinningPaths.crioDefault, 0o644, crioPinning(anyCpu)),
      ]),
    },
  };
}

/** Of the MachineConfig for a role. */
export function bootstrapName(role: string): string {
  return `01-${role}-cpu-partitioning`;
}

/** The roles of nodes of a new cluster: those of its topology, and those of the given pools. */
export function bootstrapRoles(infrastructure: KubeObject | undefined, pools: readonly string[]): string[] {
  const topology = at(infrastructure, "status", "controlPlaneTopology");
  const arbiter = topology === "HighlyAvailableArbiter" ? ["arbiter"] : [];
  return [...new Set(["master", "worker", ...arbiter, ...pools])];
}
