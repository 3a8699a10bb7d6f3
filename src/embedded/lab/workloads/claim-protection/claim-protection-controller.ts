import { isConflict, isNotFound } from "../../../../cluster/kube/api-error.ts";
import { kinds } from "../../../../cluster/kube/kinds.ts";
import { keyOf } from "../../../../language/object/meta.ts";
import { Controller, type Result, source } from "../../../../cluster/runtime/controller/controller.ts";
import { byNamespace } from "../workload-caches.ts";
import type { PersistentVolumeClaim, Pod } from "../workload-objects.ts";
import type { WorkloadOptions } from "../workload-options.ts";

const protection = "kubernetes.io/pvc-protection";

/** As `system:serviceaccount:kube-system:pvc-protection-controller`. */
export function runClaimProtection({ signal, ...options }: WorkloadOptions & { signal: AbortSignal }): Promise<void> {
  return claimProtectionController(options).run(signal);
}

/** Removes the finalizer of a deleted claim once no pod uses it. The API server adds it to every claim. */
export function claimProtectionController({ client, caches, clock, log, metrics }: WorkloadOptions): Controller {
  const { persistentVolumeClaims: claims, pods } = caches;

  const isUsed = (claim: PersistentVolumeClaim): boolean =>
    pods
      .byIndex(byNamespace, claim.metadata.namespace ?? "")
      // No kubelet starts a pod with a deleted claim: only a pod that is bound to a node can use it.
      .some((pod) => pod.spec?.nodeName && claimsOf(pod).includes(claim.metadata.name ?? ""));

  const isRemovable = (claim: PersistentVolumeClaim | undefined): claim is PersistentVolumeClaim =>
    claim?.metadata.deletionTimestamp !== undefined &&
    (claim.metadata.finalizers ?? []).includes(protection) &&
    !isUsed(claim);

  return new Controller({
    name: "claim-protection",
    clock,
    log,
    metrics,
    sources: [
      source(claims, ({ type, object }) => (type !== "deleted" && isRemovable(object) ? [keyOf(object)] : [])),
      source(pods, ({ type, object }) =>
        type === "deleted" ? claimsOf(object).map((name) => `${object.metadata.namespace}/${name}`) : [],
      ),
    ],
    async reconcile(key, { signal }): Promise<Result | undefined> {
      const claim = claims.get(key);
      if (!isRemovable(claim)) return undefined;
      const { metadata } = claim;
      const finalizers = metadata.finalizers?.filter((finalizer) => finalizer !== protection);
      try {
        await client.update(
          kinds.persistentVolumeClaim,
          { ...claim, metadata: { ...metadata, finalizers } },
          { namespace: metadata.namespace, signal },
        );
        return undefined;
      } catch (error) {
        if (isNotFound(error)) return undefined;
        if (isConflict(error)) return { requeue: true };
        throw error;
      }
    },
  });
}

/** The claims that a pod mounts, those of its ephemeral volumes included. */
function claimsOf({ metadata, spec }: Pod): string[] {
  return (spec?.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }) => {
    if (persistentVolumeClaim) return [persistentVolumeClaim.claimName];
    return ephemeral ? [`${metadata.name}-${name}`] : [];
  });
}
