import type { CSIPersistentVolumeSource, PersistentVolume, PersistentVolumeSpec } from "kubernetes-types/core/v1.js";
import { equal } from "../../../../language/object/json.ts";
import type { KubeObject } from "../../../../language/object/meta.ts";
import { dnsSubdomain } from "../../../../language/object/names.ts";
import { compareQuantities, parseQuantity } from "../../../../language/object/quantity.ts";
import {
  type FieldError,
  forbidden,
  immutable,
  invalid,
  notSupported,
  required,
} from "../../../../language/schema/field-error.ts";
import { validateAccessModes } from "./access-modes.ts";
import { validateDriverName } from "./csi-driver.ts";
import { validateNodeSelector } from "../core/pod/scheduling.ts";
import { noBacksteps, validateHostPath } from "../core/pod/volumes.ts";

type Spec = PersistentVolumeSpec;

/** Volume types, in the order in which kube-apiserver checks them: of two, it rejects the later one. */
const sources = [
  "hostPath",
  "gcePersistentDisk",
  "awsElasticBlockStore",
  "glusterfs",
  "flocker",
  "nfs",
  "rbd",
  "quobyte",
  "cephfs",
  "iscsi",
  "cinder",
  "fc",
  "flexVolume",
  "azureFile",
  "vsphereVolume",
  "photonPersistentDisk",
  "portworxVolume",
  "azureDisk",
  "scaleIO",
  "local",
  "storageos",
  "csi",
] as const satisfies readonly (keyof Spec)[];

const policies = ["Delete", "Recycle", "Retain"];
const modes = ["Block", "Filesystem"];

export function validateVolume(object: KubeObject): FieldError[] {
  const spec = (object as PersistentVolume).spec ?? {};
  const { accessModes = [], persistentVolumeReclaimPolicy: policy, nodeAffinity, volumeMode } = spec;
  return [
    ...(accessModes.length === 0 ? [required("spec.accessModes")] : []),
    ...validateAccessModes(accessModes, "spec.accessModes"),
    ...validateCapacity(spec.capacity ?? {}),
    ...(policy && !policies.includes(policy)
      ? [notSupported("spec.persistentVolumeReclaimPolicy", policy, policies)]
      : []),
    ...(nodeAffinity
      ? nodeAffinity.required
        ? validateNodeSelector(nodeAffinity.required, "spec.nodeAffinity.required")
        : [required("spec.nodeAffinity.required", "must specify required node constraints")]
      : []),
    ...validateSources(spec),
    ...validateClasses(spec),
    ...(volumeMode !== undefined && !modes.includes(volumeMode)
      ? [notSupported("spec.volumeMode", volumeMode, modes)]
      : []),
  ];
}

function validateCapacity(capacity: Readonly<Record<string, string>>): FieldError[] {
  const names = Object.keys(capacity);
  const zero = parseQuantity("0");
  return [
    ...(names.length === 0 ? [required("spec.capacity")] : []),
    ...(names.length === 1 && names[0] === "storage" ? [] : [notSupported("spec.capacity", capacity, ["storage"])]),
    ...Object.entries(capacity)
      .filter(([, text]) => compareQuantities(parseQuantity(text), zero) <= 0)
      .map(([name, text]) => invalid(`spec.capacity[${name}]`, text, "must be greater than zero")),
  ];
}

/** A volume has exactly one type. */
export function validateSources(spec: Spec): FieldError[] {
  const [first, ...others] = sources.filter((source) => spec[source] !== undefined);
  if (first === undefined) return [required("spec", "must specify a volume type")];
  const { hostPath, persistentVolumeReclaimPolicy: policy } = spec;
  const isRoot = hostPath !== undefined && /^[/.]+$/.test(hostPath.path);
  return [
    ...(checks[first]?.(spec) ?? []),
    ...others.map((other) =>
      forbidden(`spec.${other === "cephfs" ? "cephFS" : other}`, "may not specify more than 1 volume type"),
    ),
    ...(isRoot && policy === "Recycle"
      ? [forbidden("spec.persistentVolumeReclaimPolicy", "may not be 'recycle' for a hostPath mount of '/'")]
      : []),
  ];
}

/** Checks of the types in current use; other types are accepted without checks. */
const checks: Readonly<Partial<Record<(typeof sources)[number], (spec: Spec) => FieldError[]>>> = {
  hostPath: ({ hostPath }) => validateHostPath(hostPath, "spec.hostPath"),
  nfs: ({ nfs }) => [
    ...(nfs?.server ? [] : [required("spec.nfs.server")]),
    ...(nfs?.path ? [] : [required("spec.nfs.path")]),
    ...(nfs?.path.startsWith("/") ? [] : [invalid("spec.nfs.path", nfs?.path, "must be an absolute path")]),
  ],
  local: ({ local, nodeAffinity }) => [
    ...(local?.path ? noBacksteps(local.path, "spec.local.path") : [required("spec.local.path")]),
    ...(nodeAffinity ? [] : [required("spec.nodeAffinity", "Local volume requires node affinity")]),
  ],
  csi: ({ csi }) => [
    ...validateDriverName(csi?.driver ?? "", "spec.csi.driver"),
    ...(csi?.volumeHandle ? [] : [required("spec.csi.volumeHandle")]),
    ...(csi ? secrets.flatMap((secret) => validateSecret(csi[secret], `spec.csi.${secret}`)) : []),
  ],
};

const secrets = [
  "controllerPublishSecretRef",
  "controllerExpandSecretRef",
  "nodePublishSecretRef",
  "nodeExpandSecretRef",
] as const satisfies readonly (keyof CSIPersistentVolumeSource)[];

function validateSecret(
  secret: { readonly name?: string; readonly namespace?: string } | undefined,
  at: string,
): FieldError[] {
  if (!secret) return [];
  return [...(secret.name ? [] : [required(`${at}.name`)]), ...(secret.namespace ? [] : [required(`${at}.namespace`)])];
}

function validateClasses({ storageClassName, volumeAttributesClassName, csi }: Spec): FieldError[] {
  const errors: FieldError[] = [];
  if (storageClassName)
    for (const why of dnsSubdomain(storageClassName))
      errors.push(invalid("spec.storageClassName", storageClassName, why));
  if (volumeAttributesClassName === undefined) return errors;
  const at = "spec.volumeAttributesClassName";
  if (volumeAttributesClassName === "") errors.push(required(at, "an empty string is disallowed"));
  else
    for (const why of dnsSubdomain(volumeAttributesClassName)) errors.push(invalid(at, volumeAttributesClassName, why));
  if (!csi) errors.push(required("spec.csi", "has to be specified when using volumeAttributesClassName"));
  return errors;
}

/** The volume source is immutable, except that controllerExpandSecretRef may be added. */
export function validateVolumeChange(object: KubeObject, old: KubeObject): FieldError[] {
  const { spec = {} } = object as PersistentVolume;
  const { spec: before = {} } = old as PersistentVolume;
  const errors: FieldError[] = [];
  const csi = spec.csi && before.csi && !before.csi.controllerExpandSecretRef ? withoutExpander(spec.csi) : spec.csi;
  if (!sources.every((source) => equal(source === "csi" ? csi : spec[source], before[source])))
    errors.push(forbidden("spec.persistentvolumesource", "spec.persistentvolumesource is immutable after creation"));
  if (spec.volumeMode !== before.volumeMode) errors.push(immutable("volumeMode", spec.volumeMode));
  if (before.nodeAffinity && !equal(spec.nodeAffinity, before.nodeAffinity))
    errors.push(
      invalid("nodeAffinity", spec.nodeAffinity, "field is immutable, except for updating from beta label to GA"),
    );
  if (before.volumeAttributesClassName !== undefined && spec.volumeAttributesClassName === undefined)
    errors.push(forbidden("spec.volumeAttributesClassName", "update from non-nil value to nil is forbidden"));
  return errors;
}

function withoutExpander({ controllerExpandSecretRef: _, ...csi }: CSIPersistentVolumeSource): object {
  return csi;
}
