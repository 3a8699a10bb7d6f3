import type { DownwardAPIVolumeFile, Volume } from "kubernetes-types/core/v1.js";
import { pullPolicy } from "./pull-policy.ts";

const fileMode = 0o644;

/** Younger than the types we compile against. */
type ImageVolume = { image?: { reference?: string; pullPolicy?: string } };

export function defaultVolume(volume: Volume & ImageVolume): void {
  if (Object.keys(volume).length <= (volume.name === undefined ? 0 : 1)) volume.emptyDir = {};
  if (volume.hostPath) volume.hostPath.type ??= "";
  if (volume.secret) volume.secret.defaultMode ??= fileMode;
  if (volume.configMap) volume.configMap.defaultMode ??= fileMode;
  if (volume.downwardAPI) {
    volume.downwardAPI.defaultMode ??= fileMode;
    defaultFiles(volume.downwardAPI.items);
  }
  if (volume.projected) {
    volume.projected.defaultMode ??= fileMode;
    for (const { serviceAccountToken, downwardAPI } of volume.projected.sources ?? []) {
      if (serviceAccountToken) serviceAccountToken.expirationSeconds ??= 3600;
      defaultFiles(downwardAPI?.items);
    }
  }
  if (volume.iscsi) volume.iscsi.iscsiInterface ??= "default";
  if (volume.rbd) {
    volume.rbd.pool ??= "rbd";
    volume.rbd.user ??= "admin";
    volume.rbd.keyring ??= "/etc/ceph/keyring";
  }
  if (volume.azureDisk) {
    volume.azureDisk.cachingMode ??= "ReadWrite";
    volume.azureDisk.kind ??= "Shared";
    volume.azureDisk.fsType ??= "ext4";
    volume.azureDisk.readOnly ??= false;
  }
  if (volume.scaleIO) {
    volume.scaleIO.storageMode ??= "ThinProvisioned";
    volume.scaleIO.fsType ??= "xfs";
  }
  if (volume.ephemeral?.volumeClaimTemplate) volume.ephemeral.volumeClaimTemplate.spec.volumeMode ??= "Filesystem";
  if (volume.image) volume.image.pullPolicy ??= pullPolicy(volume.image.reference ?? "");
}

function defaultFiles(files: readonly DownwardAPIVolumeFile[] | undefined): void {
  for (const { fieldRef } of files ?? []) if (fieldRef) fieldRef.apiVersion ??= "v1";
}
