import { isObject, withoutNulls } from "../../language/object/json.ts";
import type { KubeObject } from "../../language/object/meta.ts";
import type { Schema } from "../../language/schema/schema.ts";
import { validateSchema } from "../../language/schema/validate.ts";
import {
  type ControlPlaneTopology,
  infrastructureKind,
  type InfrastructureTopology,
  partitioningConfigMap,
  type PartitioningMode,
  partitioningModes,
} from "./identifier.ts";

/** What a cluster is installed with, as its identifier says it. */
export interface InstalledStatus {
  readonly cpuPartitioning: PartitioningMode;
  readonly controlPlaneTopology: ControlPlaneTopology;
  readonly infrastructureTopology: InfrastructureTopology;
}

export type InstallConfig =
  | { readonly type: "status"; readonly status: InstalledStatus }
  /** Each begins with its field. */
  | { readonly type: "problems"; readonly problems: readonly string[] };

/** Machines of each kind. */
export interface Replicas {
  readonly controlPlane: number;
  readonly workers: number;
  readonly arbiters: number;
}

interface MachinePool {
  readonly replicas?: number;
}

function machinePool(minimum: number): Schema {
  return { type: "object", properties: { replicas: { type: "integer", minimum } } };
}

/** The fields that are read. The installer has many more. */
const schema: Schema = {
  type: "object",
  properties: {
    cpuPartitioningMode: { enum: [...partitioningModes] },
    controlPlane: machinePool(1),
    compute: { type: "array", items: machinePool(0) },
    arbiter: machinePool(0),
  },
};

/** Reads `install-config.yaml`. A field whose name differs only in case would be ignored in silence. */
export function readInstallConfig(given: unknown): InstallConfig {
  if (!isObject(given)) return { type: "problems", problems: ["not an object with the fields of an install config"] };
  const config = withoutNulls(given) as Record<string, unknown>;
  const known = Object.keys(schema.properties ?? {});
  const misspelt = Object.keys(config).flatMap((key) => {
    const meant = known.find((name) => name !== key && name.toLowerCase() === key.toLowerCase());
    return meant === undefined ? [] : [`${key}: unknown field: did you mean ${meant}?`];
  });
  const errors = validateSchema(config, schema).map(({ field, message }) => `${field}: ${message}`);
  if (errors.length + misspelt.length > 0) return { type: "problems", problems: [...errors, ...misspelt] };
  const { cpuPartitioningMode = "None", controlPlane, compute = [], arbiter } = config as Valid;
  const replicas: Replicas = {
    controlPlane: controlPlane?.replicas ?? 3,
    workers: compute.reduce((sum, pool) => sum + (pool.replicas ?? 0), 0),
    arbiters: arbiter?.replicas ?? 0,
  };
  return { type: "status", status: { cpuPartitioning: cpuPartitioningMode, ...topologiesOf(replicas) } };
}

interface Valid {
  readonly cpuPartitioningMode?: PartitioningMode;
  readonly controlPlane?: MachinePool;
  readonly compute?: readonly MachinePool[];
  readonly arbiter?: MachinePool;
}

export function topologiesOf({ controlPlane, workers, arbiters }: Replicas): Omit<InstalledStatus, "cpuPartitioning"> {
  const controlPlaneTopology =
    controlPlane >= 2 && arbiters > 0
      ? "HighlyAvailableArbiter"
      : controlPlane === 1
        ? "SingleReplica"
        : controlPlane === 2
          ? "DualReplica"
          : "HighlyAvailable";
  // Without workers, pods of the platform run on the control plane.
  const isSingle = workers === 1 || (workers === 0 && controlPlane === 1);
  return { controlPlaneTopology, infrastructureTopology: isSingle ? "SingleReplica" : "HighlyAvailable" };
}

/** The Infrastructure of a new cluster. */
export function infrastructureOf(status: InstalledStatus): KubeObject {
  const { apiVersion, kind } = infrastructureKind;
  return { apiVersion, kind, metadata: { name: "cluster" }, spec: {}, status: { ...status } };
}

/** What stands in for it where the cluster does not serve Infrastructures. */
export function partitioningConfigMapOf(status: InstalledStatus): KubeObject {
  const { name, namespace } = partitioningConfigMap;
  const labels = { "app.kubernetes.io/part-of": "attune" };
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace, labels }, data: { ...status } };
}
