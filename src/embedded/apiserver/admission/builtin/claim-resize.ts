import type { PersistentVolumeClaim, PersistentVolumeClaimSpec } from "kubernetes-types/core/v1.js";
import type { StorageClass } from "kubernetes-types/storage/v1.js";
import { compareQuantities, parseQuantity } from "../../../../language/object/quantity.ts";
import type { Lookup } from "../../resource.ts";
import { type AdmissionPlugin, refused } from "../admission.ts";

/** A claim can only be expanded if its storage class allows it. */
export function claimResize(objects: Lookup): AdmissionPlugin {
  return {
    name: "PersistentVolumeClaimResize",
    handles: ({ operation, resource, subresource }) =>
      operation === "UPDATE" &&
      resource.plural === "persistentvolumeclaims" &&
      resource.group === "" &&
      subresource === "",
    validate: (attributes) => {
      const { spec } = attributes.object as PersistentVolumeClaim;
      const { spec: before, status } = attributes.old as PersistentVolumeClaim;
      if (compareQuantities(sizeOf(spec), sizeOf(before)) <= 0) return;
      if (status?.phase !== "Bound") throw refused(attributes, "Only bound persistent volume claims can be expanded");
      const name = spec?.storageClassName ?? "";
      const storage = objects.head("storageclasses.storage.k8s.io", name) as StorageClass | undefined;
      if (name !== before?.storageClassName || !storage?.allowVolumeExpansion)
        throw refused(
          attributes,
          "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize",
        );
    },
  };
}

const sizeOf = (spec: PersistentVolumeClaimSpec | undefined) =>
  parseQuantity(spec?.resources?.requests?.storage ?? "0");
