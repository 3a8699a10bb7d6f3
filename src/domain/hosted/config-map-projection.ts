import type { KubeObject } from "../../language/object/meta.ts";
import type { ConfigMap } from "./envelope/read-manifests.ts";
import { contentOf, nodePoolOf } from "./protocol.ts";

const ownPrefix = "rollout.attune.dev/";

/** Whether a ConfigMap of a control plane namespace is one of those that the two sides exchange, or a note. */
function isOurs(configMap: ConfigMap): boolean {
  if (contentOf(configMap) !== undefined || nodePoolOf(configMap) !== "") return true;
  return Object.keys(configMap.metadata.labels ?? {}).some((label) => label.startsWith(ownPrefix));
}

/** The namespace has many ConfigMaps of others, some large: of them only the existence counts. */
export function projectConfigMap(configMap: ConfigMap): ConfigMap {
  const { managedFields: _, ...metadata } = configMap.metadata;
  if (isOurs(configMap)) return { ...configMap, metadata };
  const { apiVersion, kind } = configMap as KubeObject;
  return { apiVersion, kind, metadata };
}
