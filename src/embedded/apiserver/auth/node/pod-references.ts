import type { Container, PodSpec, Volume } from "kubernetes-types/core/v1.js";
import type { KubeObject } from "../../../../language/object/meta.ts";

const MIRROR = "kubernetes.io/config.mirror";

/** A pod that a kubelet created to show one of its static pods. */
export function isMirrorPod({ metadata: { annotations } }: KubeObject): boolean {
  return annotations !== undefined && Object.hasOwn(annotations, MIRROR);
}

/** Kinds that a pod can refer to in its namespace, by plural. */
export type Referred = "secrets" | "configmaps" | "persistentvolumeclaims" | "serviceaccounts";

export interface Reference {
  readonly kind: Referred;
  readonly name: string;
}

/** Every object that a pod's node must read to run it. May contain duplicates; empty names are left out. */
export function podReferences(podName: string, spec: PodSpec): Reference[] {
  const references: Reference[] = [];
  const add = (kind: Referred, name: string | undefined): void => {
    if (name) references.push({ kind, name });
  };
  add("serviceaccounts", spec.serviceAccountName);
  for (const { name } of spec.imagePullSecrets ?? []) add("secrets", name);
  for (const container of containersOf(spec)) addEnvironment(container, add);
  for (const volume of spec.volumes ?? []) addVolume(podName, volume, add);
  return references;
}

type Add = (kind: Referred, name: string | undefined) => void;

/** Ephemeral containers have another type, but the same environment fields. */
function containersOf(spec: PodSpec): Container[] {
  return [
    ...(spec.initContainers ?? []),
    ...(spec.containers ?? []),
    ...((spec.ephemeralContainers ?? []) as Container[]),
  ];
}

function addEnvironment({ envFrom, env }: Container, add: Add): void {
  for (const { secretRef, configMapRef } of envFrom ?? []) {
    add("secrets", secretRef?.name);
    add("configmaps", configMapRef?.name);
  }
  for (const { valueFrom } of env ?? []) {
    add("secrets", valueFrom?.secretKeyRef?.name);
    add("configmaps", valueFrom?.configMapKeyRef?.name);
  }
}

function addVolume(podName: string, volume: Volume, add: Add): void {
  add("secrets", volume.secret?.secretName);
  add("secrets", volume.azureFile?.secretName);
  add("secrets", volume.csi?.nodePublishSecretRef?.name);
  for (const source of [
    volume.cephfs,
    volume.cinder,
    volume.flexVolume,
    volume.rbd,
    volume.scaleIO,
    volume.iscsi,
    volume.storageos,
  ])
    add("secrets", source?.secretRef?.name);
  add("configmaps", volume.configMap?.name);
  for (const { secret, configMap } of volume.projected?.sources ?? []) {
    add("secrets", secret?.name);
    add("configmaps", configMap?.name);
  }
  add("persistentvolumeclaims", volume.persistentVolumeClaim?.claimName);
  // The claim that Kubernetes creates for an ephemeral volume.
  if (volume.ephemeral) add("persistentvolumeclaims", `${podName}-${volume.name}`);
}
