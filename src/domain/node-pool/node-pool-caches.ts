import type { KubeObject } from "../../language/object/meta.ts";
import type { ConfigMap } from "../hosted/envelope/read-manifests.ts";
import { orderConfigMap } from "../hosted/handover/pool-order.ts";
import { reportConfigMap } from "../hosted/handover/pool-report.ts";
import { hostedTunedName } from "../hosted/names.ts";
import { releasedConfigMap } from "../hosted/rollout/released-rendering.ts";
import { contentOf, keys, nodePoolIn, nodePoolOf, tunedsConfigMap, tuningKeys } from "../hosted/protocol.ts";
import { controlPlaneNamespace, controlPlaneOf, type HostedCluster, hostedClusterOf, type NodePool } from "./api.ts";
import { configReferences, tuningReferences } from "./references.ts";

/** How NodePools are found: with thousands of them, no event may look at all. */
export const nodePoolIndexes = {
  /** `namespace/name` of each ConfigMap that it refers to. */
  configMap: (nodePool: NodePool): string[] =>
    [...tuningReferences(nodePool), ...configReferences(nodePool)].map(
      (name) => `${nodePool.metadata.namespace}/${name}`,
    ),
  hostedCluster: (nodePool: NodePool): string[] => [hostedClusterOf(nodePool)],
  controlPlane: (nodePool: NodePool): string[] => [controlPlaneOf(nodePool)],
  /** Its name in its control plane namespace. */
  pool: (nodePool: NodePool): string[] => [`${controlPlaneOf(nodePool)}/${nodePool.metadata.name}`],
  /** Names that no two NodePools may share. */
  hash: hashKeys,
};

/** What names in the hosted cluster end with, and names of orders and reports, which are shortened with another hash. */
export function hashKeys(nodePool: NodePool): string[] {
  const { name = "" } = nodePool.metadata;
  return [hostedTunedName("", name), orderConfigMap(name), reportConfigMap(name), releasedConfigMap(name)].map(
    (one) => `${controlPlaneOf(nodePool)}/${one}`,
  );
}

export const hostedClusterIndexes = {
  controlPlane: ({ metadata: { namespace = "", name = "" } }: HostedCluster): string[] => [
    controlPlaneNamespace(namespace, name),
  ],
};

export const configMapIndexes = {
  /** Those that concern a NodePool, `namespace/NodePool`. Label and annotation name it, and one may have been changed. */
  pool: (configMap: ConfigMap): string[] => {
    const names = [nodePoolOf(configMap), nodePoolIn(configMap) ?? ""].filter((name) => name !== "");
    return [...new Set(names)].map((name) => `${configMap.metadata.namespace}/${name}`);
  },
};

export const byNamespace = { namespace: ({ metadata: { namespace = "" } }: KubeObject): string[] => [namespace] };

/** `namespace/name` of the NodePool that an object was made for, by its annotation. */
export function nodePoolKeyIn({ metadata: { annotations = {} } }: KubeObject): string[] {
  const key = Object.hasOwn(annotations, keys.nodePool) ? annotations[keys.nodePool] : undefined;
  return key === undefined ? [] : [key];
}

/** Of ConfigMaps that hold nothing for us only the existence counts. A management cluster has many of them. */
export function projectConfigMap(configMap: ConfigMap): ConfigMap {
  const { managedFields: _, ...metadata } = configMap.metadata;
  const { data = {} } = configMap;
  // A ConfigMap of another owner that has the name of ours is adopted, with its other keys.
  const isNamed = metadata.name?.startsWith(tunedsConfigMap("")) === true;
  const isOurs = isNamed || contentOf(configMap) !== undefined || nodePoolOf(configMap) !== "";
  if (isOurs || tuningKeys.some((key) => Object.hasOwn(data, key))) return { ...configMap, metadata };
  const { data: _data, binaryData: _binary, ...rest } = configMap as ConfigMap & KubeObject;
  return { ...rest, metadata };
}

/** Whose a namespace is. */
export function projectNamespace({ apiVersion, kind, metadata }: KubeObject): KubeObject {
  const { managedFields: _, ...kept } = metadata;
  return { apiVersion, kind, metadata: kept };
}
