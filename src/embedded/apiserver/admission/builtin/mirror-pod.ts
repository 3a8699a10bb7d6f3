import type { PodSpec, Volume } from "kubernetes-types/core/v1.js";
import { podReferences } from "../../auth/node/pod-references.ts";

/** The first API object that a mirror pod refers to, as the refusal names it: it would give the node access to it. */
export function apiObjectIn(podName: string, spec: PodSpec): string | undefined {
  const kinds = new Set(podReferences(podName, spec).map(({ kind }) => kind));
  for (const kind of ["serviceaccounts", "secrets", "configmaps"] as const) if (kinds.has(kind)) return kind;
  if ((spec as { resourceClaims?: unknown[] }).resourceClaims?.length) return "resourceclaims";
  for (const volume of spec.volumes ?? []) {
    const found = objectOf(volume);
    if (found) return found;
  }
  return undefined;
}

const sources: readonly (readonly [keyof Volume, string])[] = [
  ["configMap", "configmaps (via configmap volumes)"],
  ["secret", "secrets (via secret volumes)"],
  ["csi", "csidrivers (via CSI volumes)"],
  ["glusterfs", "endpoints (via glusterFS volumes)"],
  ["persistentVolumeClaim", "persistentvolumeclaims"],
  ["ephemeral", "persistentvolumeclaims (via ephemeral volumes)"],
  ["azureFile", "secrets (via azureFile volumes)"],
];

const projections = [
  ["configMap", "configmaps (via projected volumes)"],
  ["secret", "secrets (via projected volumes)"],
  ["serviceAccountToken", "serviceaccounts (via projected volumes)"],
  ["clusterTrustBundle", "clustertrustbundles"],
  ["podCertificate", "podcertificates"],
] as const;

function objectOf(volume: Volume): string | undefined {
  const direct = sources.find(([source]) => volume[source] !== undefined);
  if (direct) return direct[1];
  for (const source of volume.projected?.sources ?? []) {
    const found = projections.find(([name]) => Object.hasOwn(source, name));
    if (found) return found[1];
  }
  return undefined;
}
