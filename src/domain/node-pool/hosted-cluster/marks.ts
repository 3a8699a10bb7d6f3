import type { KubeObject } from "../../../language/object/meta.ts";
import { keys } from "../../hosted/protocol.ts";

/** The label of all that is made for hosted clusters, by which it is found. */
export const managedBy = { "app.kubernetes.io/managed-by": "attune-management" } as const;

/** An object that is made for a hosted cluster (`namespace/name`), and goes with it. */
export function markedFor(hostedCluster: string, object: KubeObject): KubeObject {
  const { labels, annotations } = object.metadata;
  return {
    ...object,
    metadata: {
      ...object.metadata,
      labels: { ...labels, ...managedBy },
      // A label cannot hold a slash.
      annotations: { ...annotations, [keys.cluster]: hostedCluster },
    },
  };
}

/** `namespace/name` of the hosted cluster that an object was made for. */
export function madeFor({ metadata: { annotations = {} } }: KubeObject): string[] {
  const key = Object.hasOwn(annotations, keys.cluster) ? annotations[keys.cluster] : undefined;
  return key === undefined ? [] : [key];
}

export function isManaged({ metadata: { labels = {} } }: KubeObject): boolean {
  return Object.entries(managedBy).every(([name, value]) => labels[name] === value);
}

export const ownIndexes = { hostedCluster: madeFor };
