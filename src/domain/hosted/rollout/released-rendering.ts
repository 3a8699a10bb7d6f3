import type { KubeObject } from "../../../language/object/meta.ts";
import type { ConfigMap } from "../envelope/read-manifests.ts";
import { joinedName, labelLimit } from "../names.ts";
import { keys, nodePoolOf } from "../protocol.ts";

/** On the ConfigMap that notes what the nodes of a NodePool were told. */
const releasedMark = "rollout.attune.dev/released-rendering";
const key = "rendering";

export const releasedConfigMap = (nodePool: string): string => joinedName("released-rendering", nodePool, labelLimit);

/** Goes with the order, as a report does. */
export function writeReleased(rendering: string, order: KubeObject): ConfigMap {
  const { name = "", namespace, uid = "", annotations = {} } = order.metadata;
  const nodePool = nodePoolOf(order);
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: {
      name: releasedConfigMap(nodePool),
      namespace,
      labels: { [keys.nodePool]: nodePool, [releasedMark]: "true" },
      annotations: { [keys.nodePool]: annotations[keys.nodePool] ?? nodePool },
      ownerReferences: [{ apiVersion: "v1", kind: "ConfigMap", name, uid }],
    },
    data: { [key]: rendering },
  };
}

/** By its mark. */
export function isReleased({ metadata: { labels = {} } }: Pick<ConfigMap, "metadata">): boolean {
  return Object.hasOwn(labels, releasedMark) && labels[releasedMark] === "true";
}

/** Undefined: nothing was told yet. */
export function readReleased(configMap: ConfigMap): string | undefined {
  const { data = {} } = configMap;
  if (!isReleased(configMap) || !Object.hasOwn(data, key)) return undefined;
  const prefix = `rendered-${nodePoolOf(configMap)}-`;
  return data[key]?.startsWith(prefix) ? data[key] : undefined;
}
