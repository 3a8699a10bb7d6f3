import { at } from "../../language/object/json.ts";
import type { KubeObject } from "../../language/object/meta.ts";
import type { PartitioningStatus } from "./identifier.ts";
import { coresOf } from "./names.ts";

/** Whether nodes may tell that the cluster is partitioned: of a single control plane node, before its identifier said so. */
export function mayMigrate({ state, mode, controlPlaneTopology }: PartitioningStatus): boolean {
  return state === "known" && mode === "None" && controlPlaneTopology === "SingleReplica";
}

/** Whether the kubelet of every node has its pinning file: a node without it could not stay in a partitioned cluster. */
export function arePartitioned(nodes: readonly KubeObject[]): boolean {
  const cores = coresOf("management");
  return nodes.length > 0 && nodes.every((node) => at(node, "status", "capacity", cores) !== undefined);
}
