import type { KubeObject } from "../../../language/object/meta.ts";

/**
 * Committed objects, parsed, for the server's own use: RBAC, tokens, namespaces, custom resource definitions.
 * A collection is named as messages name a resource: `configmaps`, `clusterroles.rbac.authorization.k8s.io`.
 */
export interface ObjectReader {
  get(collection: string, key: string): KubeObject | undefined;
  list(collection: string): KubeObject[];
  /** The revision of the collection's last change: what was computed from it holds until this moves. */
  changedAt(collection: string): number;
}
