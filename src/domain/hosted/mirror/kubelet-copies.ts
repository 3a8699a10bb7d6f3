import { type ObjectReference, type PlannedObject, referenceTo } from "../../../language/object/plan.ts";
import type { ConfigMap } from "../envelope/read-manifests.ts";
import { isNote } from "../notes.ts";
import { keys, nodePoolOf } from "../protocol.ts";

/** Where operators of the hosted cluster read how its kubelets are configured. */
export const copiesNamespace = "openshift-config-managed";

export interface KubeletCopies {
  readonly objects: readonly PlannedObject[];
  readonly prunes: readonly ObjectReference[];
}

/**
 * Copies of all ConfigMaps with a KubeletConfig to the hosted cluster. `hosted`: those with the label of copies there, and
 * those of the same names.
 */
export function kubeletCopies(controlPlane: readonly ConfigMap[], hosted: readonly ConfigMap[]): KubeletCopies {
  const wanted = controlPlane.filter(holdsKubeletConfig).map(copyOf);
  const names = new Set(wanted.map(({ metadata }) => metadata.name));
  const found = new Map(hosted.map((one) => [one.metadata.name, one]));
  const isFixed = (name: string | undefined): boolean => found.get(name)?.immutable === true;
  return {
    // One that cannot be changed is deleted first, and created again when it is gone. One of another owner stays.
    objects: wanted
      .filter(({ metadata: { name } }) => !isFixed(name))
      .map((object) => ({ owns: "whole", object, because: "its NodePool has this KubeletConfig" })),
    prunes: hosted
      .filter((one) => isCopy(one) && (!names.has(one.metadata.name) || one.immutable === true))
      .map(referenceTo),
  };
}

function copyOf(configMap: ConfigMap): ConfigMap {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: {
      name: configMap.metadata.name,
      namespace: copiesNamespace,
      labels: {
        [keys.kubeletConfig]: "true",
        [keys.mirroredConfig]: "true",
        [keys.nodePool]: nodePoolOf(configMap),
      },
    },
    data: { ...configMap.data },
  };
}

/** A copy from `spec.config`, or one that is generated. */
export function holdsKubeletConfig(configMap: ConfigMap): boolean {
  if (isNote(configMap)) return false;
  return isMarked(configMap, keys.kubeletConfig) || isMarked(configMap, keys.generatedKubeletConfig);
}

/** Of a copy whose other labels a user removed, this one is enough: what has none of them is of another owner. */
function isCopy(configMap: ConfigMap): boolean {
  return isMarked(configMap, keys.kubeletConfig);
}

function isMarked({ metadata: { labels } }: ConfigMap, key: string): boolean {
  return labels !== undefined && Object.hasOwn(labels, key) && labels[key] === "true";
}
