import type { KeyToPath, Volume, VolumeMount } from "kubernetes-types/core/v1.js";
import { dnsLabel } from "../../../../../language/object/names.ts";
import {
  duplicate,
  type FieldError,
  forbidden,
  invalid,
  notFound,
  notSupported,
  required,
} from "../../../../../language/schema/field-error.ts";
import { notNegative } from "../../resource-list.ts";
import { validateFieldPath } from "./environment.ts";

const hostPathTypes = [
  "",
  "BlockDevice",
  "CharDevice",
  "Directory",
  "DirectoryOrCreate",
  "File",
  "FileOrCreate",
  "Socket",
];

export function validateVolumes(volumes: readonly Volume[], at: string): FieldError[] {
  const errors: FieldError[] = [];
  const names = new Set<string>();
  for (const [index, volume] of volumes.entries()) {
    const field = `${at}[${index}]`;
    const faults = volume.name
      ? dnsLabel(volume.name).map((reason) => invalid(`${field}.name`, volume.name, reason))
      : [];
    if (!volume.name) errors.push(required(`${field}.name`));
    else if (faults.length > 0) errors.push(...faults);
    else if (names.has(volume.name)) errors.push(duplicate(`${field}.name`, volume.name));
    names.add(volume.name);
    errors.push(...validateSource(volume, field));
  }
  return errors;
}

/** The order in which kube-apiserver checks the types: of two, it rejects the later one. */
const sourceOrder = [
  "emptyDir",
  "hostPath",
  "gitRepo",
  "gcePersistentDisk",
  "awsElasticBlockStore",
  "secret",
  "nfs",
  "iscsi",
  "glusterfs",
  "persistentVolumeClaim",
  "rbd",
  "cinder",
  "cephfs",
  "flocker",
  "downwardAPI",
  "fc",
  "flexVolume",
  "configMap",
  "azureFile",
  "vsphereVolume",
  "photonPersistentDisk",
  "portworxVolume",
  "azureDisk",
  "storageos",
  "projected",
  "scaleIO",
  "csi",
  "ephemeral",
  "image",
];

const rank = (source: string): number => sourceOrder.indexOf(source) + 1 || sourceOrder.length + 1;

function validateSource(volume: Volume, at: string): FieldError[] {
  const { name: _, ...sources } = volume;
  const [kind, ...others] = Object.keys(sources).toSorted((a, b) => rank(a) - rank(b));
  if (kind === undefined) return [required(at, "must specify a volume type")];
  const check = checks[kind];
  return [
    ...(check ? check(volume, `${at}.${kind}`) : []),
    ...others.map((other) => forbidden(`${at}.${other}`, "may not specify more than 1 volume type")),
  ];
}

const checks: Readonly<Record<string, (volume: Volume, at: string) => FieldError[]>> = {
  emptyDir: ({ emptyDir }, at) => (emptyDir?.sizeLimit ? notNegative(emptyDir.sizeLimit, `${at}.sizeLimit`) : []),
  hostPath: ({ hostPath }, at) => validateHostPath(hostPath, at),
  secret: ({ secret }, at) => [
    ...(secret?.secretName ? [] : [required(`${at}.secretName`)]),
    ...validateMode(secret?.defaultMode, `${at}.defaultMode`),
    ...validateItems(secret?.items, `${at}.items`),
  ],
  configMap: ({ configMap }, at) => [
    ...(configMap?.name ? [] : [required(`${at}.name`)]),
    ...validateMode(configMap?.defaultMode, `${at}.defaultMode`),
    ...validateItems(configMap?.items, `${at}.items`),
  ],
  persistentVolumeClaim: ({ persistentVolumeClaim }, at) =>
    persistentVolumeClaim?.claimName ? [] : [required(`${at}.claimName`)],
  downwardAPI: ({ downwardAPI }, at) => [
    ...validateMode(downwardAPI?.defaultMode, `${at}.defaultMode`),
    ...(downwardAPI?.items ?? []).flatMap(({ path, mode, fieldRef }, index) => [
      ...validateLocalPath(path, `${at}.items[${index}].path`),
      ...(fieldRef ? validateFieldPath(fieldRef.fieldPath, `${at}.items[${index}].fieldRef.fieldPath`) : []),
      ...validateMode(mode, `${at}.items[${index}].mode`),
    ]),
  ],
  projected: ({ projected }, at) => validateMode(projected?.defaultMode, `${at}.defaultMode`),
};

export function validateHostPath(hostPath: Volume["hostPath"], at: string): FieldError[] {
  return [
    ...(hostPath?.path ? noBacksteps(hostPath.path, `${at}.path`) : [required(`${at}.path`)]),
    ...(hostPathTypes.includes(hostPath?.type ?? "")
      ? []
      : [notSupported(`${at}.type`, hostPath?.type, hostPathTypes)]),
  ];
}

function validateItems(items: readonly KeyToPath[] | undefined, at: string): FieldError[] {
  return (items ?? []).flatMap(({ key, path, mode }, index) => [
    ...(key ? [] : [required(`${at}[${index}].key`)]),
    ...validateLocalPath(path, `${at}[${index}].path`),
    ...validateMode(mode, `${at}[${index}].mode`),
  ]);
}

function validateMode(mode: number | undefined, field: string): FieldError[] {
  if (mode === undefined || (mode >= 0 && mode <= 0o777)) return [];
  return [invalid(field, mode, "must be a number between 0 and 0777 (octal), both inclusive")];
}

function validateLocalPath(path: string | undefined, field: string): FieldError[] {
  if (!path) return [required(field)];
  if (path.startsWith("/")) return [invalid(field, path, "must be a relative path")];
  return [
    ...noBacksteps(path, field),
    ...(path.startsWith("..") && !path.startsWith("../../") ? [invalid(field, path, "must not start with '..'")] : []),
  ];
}

export function noBacksteps(path: string, field: string): FieldError[] {
  return path.split("/").includes("..") ? [invalid(field, path, "must not contain '..'")] : [];
}

export function validateMounts(mounts: readonly VolumeMount[], volumes: ReadonlySet<string>, at: string): FieldError[] {
  const errors: FieldError[] = [];
  const paths = new Set<string>();
  for (const [index, { name, mountPath, subPath, subPathExpr }] of mounts.entries()) {
    const field = `${at}[${index}]`;
    if (!name) errors.push(required(`${field}.name`));
    else if (!volumes.has(name)) errors.push(notFound(`${field}.name`, name));
    if (!mountPath) errors.push(required(`${field}.mountPath`));
    else if (paths.has(mountPath)) errors.push(invalid(`${field}.mountPath`, mountPath, "must be unique"));
    paths.add(mountPath);
    // As kube-apiserver, without the index.
    if (subPath) errors.push(...validateSubPath(subPath, `${at}.subPath`));
    if (subPathExpr && subPath)
      errors.push(invalid(`${at}.subPathExpr`, subPathExpr, "subPathExpr and subPath are mutually exclusive"));
  }
  return errors;
}

function validateSubPath(path: string, field: string): FieldError[] {
  return path.startsWith("/") ? [invalid(field, path, "must be a relative path")] : noBacksteps(path, field);
}
