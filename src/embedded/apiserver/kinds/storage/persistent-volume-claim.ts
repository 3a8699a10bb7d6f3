import type { PersistentVolumeClaim, PersistentVolumeClaimSpec } from "kubernetes-types/core/v1.js";
import { equal } from "../../../../language/object/json.ts";
import type { KubeObject } from "../../../../language/object/meta.ts";
import { type FieldError, forbidden, immutable, invalid } from "../../../../language/schema/field-error.ts";
import { ageColumn, nameColumn, stringColumn, typed } from "../columns.ts";
import { alignSources, defaultClaim, validateClaimSpec } from "./claim-spec.ts";
import { defineKind } from "../define-kind.ts";
import { shortAccessModes } from "./access-modes.ts";
import { parseQuantity, compareQuantities } from "../../../../language/object/quantity.ts";

type Spec = PersistentVolumeClaimSpec & { volumeAttributesClassName?: string };

const specOf = (object: KubeObject): Spec => (object as PersistentVolumeClaim).spec as Spec;
const claim = (cell: (object: PersistentVolumeClaim) => unknown) => typed<PersistentVolumeClaim>(cell);

export const persistentVolumeClaim = defineKind({
  group: "",
  version: "v1",
  kind: "PersistentVolumeClaim",
  plural: "persistentvolumeclaims",
  shortNames: ["pvc"],
  namespaced: true,
  columns: [
    nameColumn,
    stringColumn(
      "Status",
      claim(({ status, metadata }) => (metadata?.deletionTimestamp ? "Terminating" : (status?.phase ?? ""))),
    ),
    stringColumn(
      "Volume",
      claim(({ spec }) => spec?.volumeName ?? ""),
    ),
    // Capacity and access modes are shown once the claim is bound.
    stringColumn(
      "Capacity",
      claim(({ spec, status }) => (spec?.volumeName ? (status?.capacity?.storage ?? "0") : "")),
    ),
    stringColumn(
      "Access Modes",
      claim(({ spec, status }) => (spec?.volumeName ? shortAccessModes(status?.accessModes ?? []) : "")),
    ),
    stringColumn(
      "StorageClass",
      claim(({ spec, metadata }) => metadata?.annotations?.[olderClass] ?? spec?.storageClassName ?? ""),
    ),
    stringColumn(
      "VolumeAttributesClass",
      claim(({ spec }) => spec?.volumeAttributesClassName ?? "<unset>"),
    ),
    ageColumn,
    stringColumn(
      "VolumeMode",
      claim(({ spec }) => spec?.volumeMode ?? "<unset>"),
      1,
    ),
  ],
  strategy: {
    defaults: (object) => defaultClaim(object as PersistentVolumeClaim),
    prepareForCreate: (object) => {
      object.status = { phase: "Pending" };
      alignSources(specOf(object));
    },
    // As the admission plugin StorageObjectInUseProtection: a claim is removed only when no pod uses it.
    admitCreate: ({ metadata }) => {
      if (!metadata.finalizers?.includes(protection))
        metadata.finalizers = [...(metadata.finalizers ?? []), protection];
    },
    prepareForUpdate: (object) => alignSources(specOf(object)),
    validate: (object) => validateClaimSpec(specOf(object), "spec"),
    validateUpdate,
    ignoredFields: ["status"],
    returnDeleted: true,
  },
  subresources: { status: { type: "status", validateUpdate: validateStatus } },
});

const protection = "kubernetes.io/pvc-protection";
const olderClass = "volume.beta.kubernetes.io/storage-class";

function validateUpdate(object: KubeObject, old: KubeObject): FieldError[] {
  const spec = { ...specOf(object) };
  const before = specOf(old);
  const { phase, capacity } = (old as PersistentVolumeClaim).status ?? {};
  const [size, was] = [parseQuantity(sizeOf(spec)), parseQuantity(sizeOf(before))];
  // volumeName may be set once, and storageClassName while it is unset.
  if (!before.volumeName) spec.volumeName = before.volumeName as string;
  if (before.storageClassName === undefined) spec.storageClassName = before.storageClassName as unknown as string;
  if (phase === "Bound") {
    spec.volumeAttributesClassName = before.volumeAttributesClassName as string;
    const requests = { ...spec.resources?.requests, ...before.resources?.requests };
    spec.resources = { ...spec.resources, requests };
  }
  const errors: FieldError[] = [];
  if (!equal(defined(spec), defined(before)))
    errors.push(
      forbidden(
        "spec",
        "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims",
      ),
    );
  // A failed expansion may be reduced, but not below the actual capacity.
  if (compareQuantities(size, was) < 0 && compareQuantities(size, parseQuantity(capacity?.storage ?? "0")) <= 0)
    errors.push(forbidden("spec.resources.requests.storage", "field can not be less than status.capacity"));
  if (specOf(object).volumeMode !== before.volumeMode) errors.push(immutable("volumeMode", spec.volumeMode));
  return errors;
}

const sizeOf = ({ resources }: Spec): string => resources?.requests?.storage ?? "0";
const defined = (spec: object): object =>
  Object.fromEntries(Object.entries(spec).filter(([, value]) => value !== undefined));

function validateStatus(object: KubeObject): FieldError[] {
  const zero = parseQuantity("0");
  return Object.entries((object as PersistentVolumeClaim).status?.capacity ?? {}).flatMap(([name, text]) =>
    compareQuantities(parseQuantity(text), zero) < 0
      ? [invalid(`status.capacity[${name}]`, text, "must be a valid resource quantity")]
      : [],
  );
}
