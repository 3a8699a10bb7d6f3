import { ignitionConfig } from "../../language/ignition/config.ts";
import { textFile } from "../../language/ignition/file-contents.ts";
import { apiVersion, group, type MachineConfig } from "../machine-config/api.ts";
import { at } from "../../language/object/json.ts";
import type { KubeObject } from "../../language/object/meta.ts";
import { crioPinning, kubeletPinning, pinningPaths } from "./pinning-files.ts";

/** Every CPU, until a performance profile knows better: its own files are read later than the one and replace the other. */
const anyCpu = "";

/** What makes the nodes of a role partitioned from their first start. */
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

/** The roles that nodes of a new cluster have: those of its topology, and those of the pools that are brought along. */
export function bootstrapRoles(infrastructure: KubeObject | undefined, pools: readonly string[]): string[] {
  const topology = at(infrastructure, "status", "controlPlaneTopology");
  const arbiter = topology === "HighlyAvailableArbiter" ? ["arbiter"] : [];
  return [...new Set(["master", "worker", ...arbiter, ...pools])];
}
