import { isNotFound } from "../../../../cluster/kube/api-error.ts";
import type { Client } from "../../../../cluster/kube/client.ts";
import type { KubeObject, OwnerReference } from "../../../../language/object/meta.ts";
import { controllerOf } from "../pods/controller-of.ts";
import type { WorkloadCaches } from "../workload-caches.ts";
import type { Pod } from "../workload-objects.ts";
import type { ExpectedPods } from "./budget-status.ts";

type Caches = Pick<WorkloadCaches, "deployments" | "replicaSets" | "statefulSets">;

interface Scaled {
  uid: string;
  replicas: number;
}

/** The sum of the scales of the pods' owners. A pod without an owner is not counted. */
export async function expectedByOwners(
  pods: readonly Pod[],
  caches: Caches,
  client: Client,
  signal: AbortSignal,
): Promise<ExpectedPods> {
  const scales = new Map<string, number>();
  const seen = new Set<string>();
  for (const pod of pods) {
    const owner = controllerOf(pod);
    if (!owner || seen.has(owner.uid)) continue;
    seen.add(owner.uid);
    const { name = "", namespace = "" } = pod.metadata;
    const scaled = cachedScale(owner, namespace, caches) ?? (await servedScale(owner, namespace, client, signal));
    if (!scaled) return { type: "unknown", message: `found no controllers for pod "${name}"` };
    scales.set(scaled.uid, scaled.replicas);
  }
  let count = 0;
  for (const replicas of scales.values()) count += replicas;
  return { type: "count", count };
}

/** A ReplicaSet of a Deployment has the Deployment's scale: during a rollout several of them share its pods. */
function cachedScale(owner: OwnerReference, namespace: string, caches: Caches): Scaled | undefined {
  const key = `${namespace}/${owner.name}`;
  const of = (found: (KubeObject & { spec?: { replicas?: number } }) | undefined, uid: string): Scaled | undefined =>
    found?.metadata.uid === uid ? { uid, replicas: found.spec?.replicas ?? 1 } : undefined;
  if (owner.kind === "StatefulSet") return of(caches.statefulSets.get(key), owner.uid);
  if (owner.kind !== "ReplicaSet") return undefined;
  const replicaSet = caches.replicaSets.get(key);
  const above = replicaSet && controllerOf(replicaSet);
  const deployment =
    above?.kind === "Deployment" ? of(caches.deployments.get(`${namespace}/${above.name}`), above.uid) : undefined;
  return deployment ?? of(replicaSet, owner.uid);
}

/** Other kinds are read through their scale subresource. */
async function servedScale(
  owner: OwnerReference,
  namespace: string,
  client: Client,
  signal: AbortSignal,
): Promise<Scaled | undefined> {
  const group = owner.apiVersion.includes("/") ? `/apis/${owner.apiVersion}` : `/api/${owner.apiVersion}`;
  try {
    const served = (await client.raw("GET", group, undefined, { signal })) as {
      resources?: { name: string; kind: string }[];
    };
    const plural = served.resources?.find(({ name, kind }) => kind === owner.kind && !name.includes("/"))?.name;
    if (plural === undefined || !served.resources?.some(({ name }) => name === `${plural}/scale`)) return undefined;
    const path = `${group}/namespaces/${namespace}/${plural}/${encodeURIComponent(owner.name)}/scale`;
    const scale = (await client.raw("GET", path, undefined, { signal })) as KubeObject & {
      spec?: { replicas?: number };
    };
    return scale.metadata.uid === owner.uid ? { uid: owner.uid, replicas: scale.spec?.replicas ?? 0 } : undefined;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
