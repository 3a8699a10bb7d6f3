import type { PersistentVolumeClaim } from "kubernetes-types/core/v1.js";
import type { KubeObject } from "../../../../language/object/meta.ts";
import type { Lookup } from "../../resource.ts";
import type { AdmissionPlugin } from "../admission.ts";

const older = "volume.beta.kubernetes.io/storage-class";
const marks = ["storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class"];

/** A claim without a class gets the default class, if there is one. The class "" means none. */
export function defaultStorageClass(objects: Lookup): AdmissionPlugin {
  return {
    name: "DefaultStorageClass",
    handles: ({ operation, resource, subresource }) =>
      operation === "CREATE" &&
      resource.plural === "persistentvolumeclaims" &&
      resource.group === "" &&
      subresource === "",
    admit: ({ object }) => {
      const { spec, metadata } = object as PersistentVolumeClaim;
      if (!spec || spec.storageClassName !== undefined || annotated(metadata?.annotations, older) !== undefined) return;
      const chosen = newest(objects.list("storageclasses.storage.k8s.io").filter(isDefault));
      if (chosen?.metadata.name) spec.storageClassName = chosen.metadata.name;
    },
  };
}

const isDefault = ({ metadata }: KubeObject): boolean =>
  marks.some((mark) => annotated(metadata.annotations, mark) === "true");

function annotated(annotations: Readonly<Record<string, string>> | undefined, key: string): string | undefined {
  return annotations && Object.hasOwn(annotations, key) ? annotations[key] : undefined;
}

/** Of several default classes, the newest; then the first by name, the order of the list. */
function newest(classes: readonly KubeObject[]): KubeObject | undefined {
  const madeAt = ({ metadata }: KubeObject): string => metadata.creationTimestamp ?? "";
  return classes.toSorted((a, b) => (madeAt(a) < madeAt(b) ? 1 : madeAt(a) > madeAt(b) ? -1 : 0))[0];
}
