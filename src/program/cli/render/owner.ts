import type { KubeObject, OwnerReference } from "../../../language/object/meta.ts";
import { labelValue } from "../../../language/object/names.ts";
import { weakOwnerLabel } from "../../../domain/performance-profile/api.ts";
import type { OwnerMode } from "./options.ts";

/** The label or owner reference that names the PerformanceProfile of an object, or why there can be none. */
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
        why: "metadata.uid: Required value: an owner reference needs the uid that a cluster assigns; pass --owner-ref label-name or none",
      };
    case "label-name": {
      const [fault] = labelValue(name);
      if (fault === undefined) return { type: "mark", labels: { [weakOwnerLabel]: name } };
      return {
        type: "impossible",
        why: `metadata.name: Invalid value: ${JSON.stringify(name)}: not a valid label value: ${fault}; pass --owner-ref none`,
      };
    }
  }
}

/** A copy of the object with the label or reference. */
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
