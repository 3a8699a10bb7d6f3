import type { PersistentVolume, Pod } from "kubernetes-types/core/v1.js";
import type { KubeObject } from "../../../../language/object/meta.ts";
import { isMirrorPod, podReferences, type Referred } from "./pod-references.ts";

interface BoundPod {
  readonly node: string;
  readonly references: readonly string[];
}

/**
 * The objects related to a node: those that pods bound to it refer to, the volumes of their claims, and the secrets of
 * those volumes. A query is one or two map look-ups; a change costs the references of the changed pod.
 */
export class NodeGraph {
  readonly #pods = new Map<string, BoundPod>();
  /** An object → the nodes whose pods refer to it, and how many of the pods do. */
  readonly #nodes = new Map<string, Map<string, number>>();
  /** A volume → the claim it belongs to, and its secrets. */
  readonly #volumes = new Map<string, { readonly claim: string; readonly secrets: readonly string[] }>();
  readonly #volumesOfSecret = new Map<string, Set<string>>();

  hasPod(key: string): boolean {
    return this.#pods.has(key);
  }

  /** `key` is `namespace/name`. A pod without a node relates nothing. */
  setPod(key: string, object: KubeObject): void {
    this.removePod(key);
    const pod = object as Pod;
    const node = pod.spec?.nodeName;
    if (!pod.spec || !node) return;
    const cut = key.indexOf("/");
    const namespace = key.slice(0, cut);
    // A node creates its mirror pods itself: they must not give it access to anything.
    const named = isMirrorPod(object) ? [] : podReferences(key.slice(cut + 1), pod.spec);
    const references = [...new Set(named.map(({ kind, name }) => place(kind, `${namespace}/${name}`)))];
    this.#pods.set(key, { node, references });
    for (const reference of references) {
      let nodes = this.#nodes.get(reference);
      if (!nodes) this.#nodes.set(reference, (nodes = new Map()));
      nodes.set(node, (nodes.get(node) ?? 0) + 1);
    }
  }

  removePod(key: string): void {
    const pod = this.#pods.get(key);
    if (!pod) return;
    this.#pods.delete(key);
    for (const reference of pod.references) {
      const nodes = this.#nodes.get(reference);
      const count = nodes?.get(pod.node) ?? 0;
      if (count > 1) nodes?.set(pod.node, count - 1);
      else if (nodes?.delete(pod.node) && nodes.size === 0) this.#nodes.delete(reference);
    }
  }

  setVolume(name: string, object: KubeObject): void {
    this.removeVolume(name);
    const volume = object as PersistentVolume;
    const claim = volume.spec?.claimRef;
    if (!claim) return;
    const secrets = volumeSecrets(volume, claim.namespace ?? "").map((key) => place("secrets", key));
    this.#volumes.set(name, { claim: place("persistentvolumeclaims", `${claim.namespace}/${claim.name}`), secrets });
    for (const secret of secrets) {
      const volumes = this.#volumesOfSecret.get(secret);
      if (volumes) volumes.add(name);
      else this.#volumesOfSecret.set(secret, new Set([name]));
    }
  }

  removeVolume(name: string): void {
    for (const secret of this.#volumes.get(name)?.secrets ?? []) {
      const volumes = this.#volumesOfSecret.get(secret);
      if (volumes?.delete(name) && volumes.size === 0) this.#volumesOfSecret.delete(secret);
    }
    this.#volumes.delete(name);
  }

  /** Whether a path leads from the object to the node. */
  relates(node: string, kind: Referred | "pods" | "persistentvolumes", key: string): boolean {
    if (kind === "pods") return this.#pods.get(key)?.node === node;
    if (kind === "persistentvolumes") return this.#holdsVolume(node, key);
    const object = place(kind, key);
    if (this.#nodes.get(object)?.has(node)) return true;
    for (const volume of (kind === "secrets" && this.#volumesOfSecret.get(object)) || [])
      if (this.#holdsVolume(node, volume)) return true;
    return false;
  }

  #holdsVolume(node: string, volume: string): boolean {
    const claim = this.#volumes.get(volume)?.claim;
    return claim !== undefined && this.#nodes.get(claim)?.has(node) === true;
  }
}

const place = (kind: Referred, key: string): string => `${kind} ${key}`;

/** `namespace/name` of the secrets a node needs to mount a volume, without those that only controllers need. */
function volumeSecrets({ spec = {} }: PersistentVolume, claimNamespace: string): string[] {
  const keys: string[] = [];
  const add = (namespace: string | undefined, name: string | undefined): void => {
    if (namespace && name) keys.push(`${namespace}/${name}`);
  };
  add(spec.azureFile?.secretNamespace || claimNamespace, spec.azureFile?.secretName);
  for (const source of [spec.cephfs, spec.flexVolume, spec.rbd, spec.scaleIO, spec.iscsi])
    add(source?.secretRef?.namespace || claimNamespace, source?.secretRef?.name);
  const { nodePublishSecretRef, nodeStageSecretRef, nodeExpandSecretRef } = spec.csi ?? {};
  for (const reference of [
    spec.cinder?.secretRef,
    spec.storageos?.secretRef,
    nodePublishSecretRef,
    nodeStageSecretRef,
    nodeExpandSecretRef,
  ])
    add(reference?.namespace, reference?.name);
  return keys;
}
