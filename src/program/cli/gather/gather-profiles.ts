import { isNotFound } from "../../../cluster/kube/api-error.ts";
import type { Client, KindRef } from "../../../cluster/kube/client.ts";
import { kinds } from "../../../cluster/kube/kinds.ts";
import { kubeletConfigKind } from "../../../domain/machine-config/api.ts";
import type { NodeTuningInput } from "../../../domain/node-tuning/decide.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { performanceProfileKind } from "../../../domain/performance-profile/api.ts";
import type { ClusterObjects } from "../../../domain/performance-profile/gather-surroundings.ts";
import { featureGateKind } from "../../../domain/performance-profile/mixed-cpus-allowed.ts";
import { derivedNames } from "../../../domain/performance-profile/names.ts";
import { infrastructureKind } from "../../../domain/workload-partitioning/partitioning-mode.ts";

/** Absent: the cluster knows no performance profiles. */
export async function gatherProfiles(client: Client, signal: AbortSignal): Promise<readonly KubeObject[] | undefined> {
  return ifThere(client.list(performanceProfileKind, { signal }).then(({ items }) => items));
}

/** What the platform says of itself; nothing on clusters of other kinds. */
export async function gatherPlatform(
  client: Client,
  signal: AbortSignal,
): Promise<Pick<ClusterObjects, "infrastructure" | "featureGate">> {
  const [infrastructure, featureGate] = await Promise.all(
    [infrastructureKind, featureGateKind].map((kind) => ifThere(client.get(kind, "cluster", { signal }))),
  );
  return { ...(infrastructure ? { infrastructure } : {}), ...(featureGate ? { featureGate } : {}) };
}

/** Nothing where the server knows no such object, or no such kind. */
export async function ifThere<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** What the cluster has under the names that are derived from a profile's. */
export async function currentObjects(
  client: Client,
  { metadata }: KubeObject,
  { tuneds, machineConfigs = [] }: NodeTuningInput,
  signal: AbortSignal,
): Promise<(kind: string, name: string) => KubeObject | undefined> {
  const names = derivedNames(metadata.name ?? "");
  const asked = await Promise.all([
    ifThere(client.get(kubeletConfigKind, names.kubeletConfig, { signal })),
    ifThere(client.get(kinds.runtimeClass as KindRef, names.runtimeClass, { signal })),
  ]);
  const all = [...tuneds, ...machineConfigs, ...asked.filter((object) => object !== undefined)];
  return (kind, name) => all.find((object) => object.kind === kind && object.metadata.name === name);
}
