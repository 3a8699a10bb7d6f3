import type { PersistentVolume, PersistentVolumeSpec } from "kubernetes-types/core/v1.js";
import type { KubeObject } from "../../../../language/object/meta.ts";
import { formatTime } from "../../../../language/object/time.ts";
import { shortAccessModes } from "./access-modes.ts";
import { ageColumn, nameColumn, stringColumn, typed } from "../columns.ts";
import { defineKind } from "../define-kind.ts";
import { validateVolume, validateVolumeChange } from "./persistent-volume-validation.ts";
import { defaultVolume } from "../core/pod/defaults.ts";

const specOf = (object: KubeObject): PersistentVolumeSpec => (object as PersistentVolume).spec ?? {};
const volume = (cell: (object: PersistentVolume) => unknown) => typed<PersistentVolume>(cell);

export const persistentVolume = defineKind({
  group: "",
  version: "v1",
  kind: "PersistentVolume",
  plural: "persistentvolumes",
  shortNames: ["pv"],
  namespaced: false,
  columns: [
    nameColumn,
    stringColumn(
      "Capacity",
      volume(({ spec }) => spec?.capacity?.storage ?? "0"),
    ),
    stringColumn(
      "Access Modes",
      volume(({ spec }) => shortAccessModes(spec?.accessModes ?? [])),
    ),
    stringColumn(
      "Reclaim Policy",
      volume(({ spec }) => spec?.persistentVolumeReclaimPolicy ?? ""),
    ),
    stringColumn(
      "Status",
      volume(({ status, metadata }) => (metadata?.deletionTimestamp ? "Terminating" : (status?.phase ?? ""))),
    ),
    stringColumn(
      "Claim",
      volume(({ spec }) => (spec?.claimRef ? `${spec.claimRef.namespace ?? ""}/${spec.claimRef.name ?? ""}` : "")),
    ),
    stringColumn(
      "StorageClass",
      volume(({ spec, metadata }) => metadata?.annotations?.[olderClass] ?? spec?.storageClassName ?? ""),
    ),
    stringColumn(
      "VolumeAttributesClass",
      volume(({ spec }) => spec?.volumeAttributesClassName ?? "<unset>"),
    ),
    stringColumn(
      "Reason",
      volume(({ status }) => status?.reason ?? ""),
    ),
    ageColumn,
    stringColumn(
      "VolumeMode",
      volume(({ spec }) => spec?.volumeMode ?? "<unset>"),
      1,
    ),
  ],
  strategy: {
    defaults,
    prepareForCreate: (object, now) => {
      object.status = { phase: "Pending", lastPhaseTransitionTime: formatTime(now) };
    },
    // As the admission plugin StorageObjectInUseProtection: a volume is removed only when no claim is bound to it.
    admitCreate: ({ metadata }) => {
      if (!metadata.finalizers?.includes(protection))
        metadata.finalizers = [...(metadata.finalizers ?? []), protection];
    },
    validate: validateVolume,
    validateUpdate: validateVolumeChange,
    ignoredFields: ["status"],
    returnDeleted: true,
  },
  subresources: { status: { type: "status", prepareForUpdate: setTransitionTime } },
});

const protection = "kubernetes.io/pv-protection";
const olderClass = "volume.beta.kubernetes.io/storage-class";

function defaults(object: KubeObject): void {
  const spec = specOf(object);
  spec.persistentVolumeReclaimPolicy ||= "Retain";
  spec.volumeMode ??= "Filesystem";
  const { hostPath, iscsi, rbd, azureDisk, scaleIO } = spec;
  // Volume types that pods also have share their defaults.
  const sources = Object.entries({ hostPath, iscsi, rbd, azureDisk, scaleIO }).filter(([, source]) => source);
  if (sources.length > 0) defaultVolume({ name: "", ...Object.fromEntries(sources) });
  const status = (object.status ??= {}) as { phase?: string };
  status.phase ||= "Pending";
}

interface Status {
  phase?: string;
  lastPhaseTransitionTime?: string;
}

/** Sets lastPhaseTransitionTime when the phase changes, unless the writer sets it. */
function setTransitionTime(object: KubeObject, old: KubeObject, now: number): void {
  const status = (object.status ??= {}) as Status;
  const before = (old.status ?? {}) as Status;
  if (status.phase === before.phase) {
    if (before.lastPhaseTransitionTime !== undefined) status.lastPhaseTransitionTime ??= before.lastPhaseTransitionTime;
  } else if (
    status.lastPhaseTransitionTime === undefined ||
    status.lastPhaseTransitionTime === before.lastPhaseTransitionTime
  )
    status.lastPhaseTransitionTime = formatTime(now);
}
