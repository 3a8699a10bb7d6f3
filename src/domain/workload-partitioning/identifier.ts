import { at, isObject } from "../../language/object/json.ts";
import type { KindRef, KubeObject } from "../../language/object/meta.ts";
import { tuningNamespace } from "../node-tuning/api.ts";

/** A singleton named `cluster`. */
export const infrastructureKind: KindRef = {
  apiVersion: "config.openshift.io/v1",
  kind: "Infrastructure",
  plural: "infrastructures",
  namespaced: false,
};

/**
 * Stands in for the Infrastructure where the cluster does not serve it: other operators would take a cluster with
 * `config.openshift.io` for OpenShift. Its keys are those of the Infrastructure's status.
 */
export const partitioningConfigMap = { namespace: tuningNamespace, name: "attune-partitioning" } as const;

/** Whether pods of the platform run on reserved CPUs only. Set at installation, for all nodes of a cluster. */
export type PartitioningMode = "None" | "AllNodes";

export const partitioningModes: readonly PartitioningMode[] = ["None", "AllNodes"];

export const controlPlaneTopologies = [
  "HighlyAvailable",
  "HighlyAvailableArbiter",
  "SingleReplica",
  "DualReplica",
  "External",
] as const;
export const infrastructureTopologies = ["HighlyAvailable", "SingleReplica"] as const;
export type ControlPlaneTopology = (typeof controlPlaneTopologies)[number];
export type InfrastructureTopology = (typeof infrastructureTopologies)[number];

/** What the object that identifies a partitioned cluster says. */
export interface PartitioningStatus {
  /** `absent`: the cluster has no such object. `empty`: the object has no status yet, so the mode is not decided. */
  readonly state: "absent" | "empty" | "known";
  /** Any value but `AllNodes` means none. */
  readonly mode: PartitioningMode;
  /** Empty: not said, as by versions without these fields. */
  readonly controlPlaneTopology: string;
  readonly infrastructureTopology: string;
}

/** The only reader of the identifier: of the Infrastructure `cluster`, or of the ConfigMap that stands in for it. */
export function partitioningStatus(identifier: KubeObject | undefined): PartitioningStatus {
  const status = at(identifier, "status") ?? at(identifier, "data");
  const text = (key: string): string => {
    const value = at(status, key);
    return typeof value === "string" ? value : "";
  };
  return {
    state: !identifier ? "absent" : isObject(status) && Object.keys(status).length > 0 ? "known" : "empty",
    mode: text("cpuPartitioning") === "AllNodes" ? "AllNodes" : "None",
    controlPlaneTopology: text("controlPlaneTopology"),
    infrastructureTopology: text("infrastructureTopology"),
  };
}

export function partitioningMode(identifier: KubeObject | undefined): PartitioningMode {
  return partitioningStatus(identifier).mode;
}
