import type { KubeObject, ListMeta, ObjectMeta } from "../../../language/object/meta.ts";

export interface PartialObjectMetadata {
  kind: "PartialObjectMetadata";
  apiVersion: "meta.k8s.io/v1";
  metadata: ObjectMeta;
}

export interface PartialObjectMetadataList {
  kind: "PartialObjectMetadataList";
  apiVersion: "meta.k8s.io/v1";
  metadata: ListMeta;
  items: PartialObjectMetadata[];
}

/** An object reduced to its metadata, which it shares with the original. */
export function partialMetadata(object: Pick<KubeObject, "metadata">): PartialObjectMetadata {
  return { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata: object.metadata };
}

export function partialMetadataList(
  objects: readonly Pick<KubeObject, "metadata">[],
  listMeta: ListMeta,
): PartialObjectMetadataList {
  return {
    kind: "PartialObjectMetadataList",
    apiVersion: "meta.k8s.io/v1",
    metadata: listMeta,
    items: objects.map(partialMetadata),
  };
}
