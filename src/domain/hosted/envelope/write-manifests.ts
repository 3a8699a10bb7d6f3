import type { KubeObject, OwnerReference } from "../../../language/object/meta.ts";
import { writeYaml } from "../../../language/object/write-yaml.ts";
import type { ConfigMap } from "./read-manifests.ts";

export interface Envelope {
  readonly name: string;
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  readonly owner?: OwnerReference | undefined;
  readonly key: string;
  readonly text: string;
}

/** The ConfigMap that holds a text. Everything else under `data` is removed. */
export function envelope({ name, namespace, labels, annotations = {}, owner, key, text }: Envelope): ConfigMap {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: {
      name,
      namespace,
      labels: { ...labels },
      annotations: { ...annotations },
      ...(owner ? { ownerReferences: [owner] } : {}),
    },
    data: { [key]: text },
  };
}

/** The manifests of objects, in the order of their texts: the same text for the same objects. */
export function manifestsText(objects: readonly KubeObject[]): string {
  return objects
    .map((object) => writeYaml(object))
    .toSorted()
    .join("---\n");
}

/** The owner of what is derived from a profile: the ConfigMap that holds the profile. */
export function ownerOf({ apiVersion, kind, metadata: { name = "", uid = "" } }: KubeObject): OwnerReference {
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}
