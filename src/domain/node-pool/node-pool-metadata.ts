import type { ObjectMeta } from "../../language/object/meta.ts";
import type { HostedCluster, NodePool } from "./api.ts";
import { finalizer } from "./rollout/plan-deletion.ts";

/** What changes in the metadata of a NodePool, for a merge patch. Undefined: nothing. */
export function metadataPatch(
  { metadata }: NodePool,
  hostedCluster: HostedCluster,
  annotations: Readonly<Record<string, string>>,
): Pick<ObjectMeta, "annotations" | "finalizers" | "ownerReferences"> | undefined {
  const { finalizers = [], ownerReferences = [], annotations: old = {} } = metadata;
  const noted = Object.entries(annotations).filter(([name, value]) => old[name] !== value);
  const { apiVersion, kind, metadata: cluster } = hostedCluster;
  const owner = { apiVersion, kind, name: cluster.name ?? "", uid: cluster.uid ?? "" };
  const patch = {
    ...(noted.length > 0 ? { annotations: Object.fromEntries(noted) } : {}),
    ...(finalizers.includes(finalizer) ? {} : { finalizers: [...finalizers, finalizer] }),
    // It goes with its HostedCluster.
    ...(ownerReferences.some(({ uid }) => uid === owner.uid) ? {} : { ownerReferences: [...ownerReferences, owner] }),
  };
  return Object.keys(patch).length > 0 ? patch : undefined;
}
