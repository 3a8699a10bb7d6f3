import type { KubeObject, OwnerReference } from "../../../language/object/meta.ts";
import { labelValue } from "../../../language/object/names.ts";
import { weakOwnerLabel } from "../../../domain/performance-profile/api.ts";
import type { OwnerMode } from "./options.ts";

/** What is put on objects so that their owner can be found; or why that cannot be. */
export type OwnerMark =
  | { readonly type: "mark"; readonly labels?: Readonly<Record<string, string>>; readonly reference?: OwnerReference }
  | { readonly type: "impossible"; readonly why: string };

export function ownerMark({ apiVersion, kind, metadata }: KubeObject, mode: OwnerMode): OwnerMark {
  const { name = "", uid } = metadata;
  switch (mode) {
    case "none":
      return { type: "mark" };
    case "k8s":
      if (typeof uid === "string" && uid !== "") return { type: "mark", reference: { apiVersion, kind, name, uid } };
      return {
        type: "impossible",
        why: "metadata.uid: Required value: an owner reference needs the uid that a cluster gives; pass --owner-ref label-name or none",
      };
    case "label-name": {
      const [fault] = labelValue(name);
      if (fault === undefined) return { type: "mark", labels: { [weakOwnerLabel]: name } };
      return {
        type: "impossible",
        why: `metadata.name: Invalid value: ${JSON.stringify(name)}: no value of a label: ${fault}; pass --owner-ref none`,
      };
    }
  }
}

/** A new object: what it is made of may be part of others. */
export function marked(object: KubeObject, mark: OwnerMark & { type: "mark" }): KubeObject {
  const { labels, reference } = mark;
  return {
    ...object,
    metadata: {
      ...object.metadata,
      ...(labels ? { labels: { ...object.metadata.labels, ...labels } } : {}),
      ...(reference ? { ownerReferences: [reference] } : {}),
    },
  };
}
