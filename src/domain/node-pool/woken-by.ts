import { keyOf } from "../../language/object/meta.ts";
import type { ConfigMap } from "../hosted/envelope/read-manifests.ts";
import { keys, nodePoolIn, nodePoolOf } from "../hosted/protocol.ts";
import { controlPlaneOf, type NodePool } from "./api.ts";
import { isOurs } from "./rollout/plan-deletion.ts";
import { configReferences, tuningReferences } from "./references.ts";

/** `namespace/name` of the NodePools that a change of a ConfigMap concerns. */
export function nodePoolsWokenBy(configMap: Pick<ConfigMap, "metadata">, nodePools: readonly NodePool[]): string[] {
  const { name = "", namespace = "" } = configMap.metadata;
  const ofControlPlane = nodePools.filter((nodePool) => controlPlaneOf(nodePool) === namespace);
  const woken = isForAll(configMap)
    ? ofControlPlane
    : [
        ...nodePools.filter((nodePool) => nodePool.metadata.namespace === namespace && refersTo(nodePool, name)),
        ...(!isOurs(configMap) ? [] : ofControlPlane.filter((nodePool) => isOf(configMap, nodePool))),
      ];
  return woken.map(keyOf);
}

/** Whether it concerns every NodePool of its control plane namespace. */
export function isForAll({ metadata }: Pick<ConfigMap, "metadata">): boolean {
  return metadata.labels?.[keys.coreConfig] !== undefined;
}

function refersTo(nodePool: NodePool, configMap: string): boolean {
  return [...tuningReferences(nodePool), ...configReferences(nodePool)].includes(configMap);
}

/** One of them may have been changed: then the change is undone. */
function isOf(configMap: Pick<ConfigMap, "metadata">, { metadata: { name = "" } }: NodePool): boolean {
  return nodePoolOf(configMap) === name || nodePoolIn(configMap) === name;
}
