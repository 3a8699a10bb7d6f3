import { ifThere } from "../../../cluster/kube/api-error.ts";
import type { Client, KindRef } from "../../../cluster/kube/client.ts";
import { kinds } from "../../../cluster/kube/kinds.ts";
import { kubeletConfigKind } from "../../../domain/machine-config/api.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { performanceProfileKind } from "../../../domain/performance-profile/api.ts";
import type { ClusterObjects } from "../../../domain/performance-profile/surroundings.ts";
import { featureGateKind } from "../../../domain/performance-profile/mixed-cpus-allowed.ts";
import { derivedNames } from "../../../domain/performance-profile/names.ts";
import { infrastructureKind } from "../../../domain/workload-partitioning/partitioning-mode.ts";

/** Undefined where the cluster has no such kind. */
export async function gatherProfiles(client: Client, signal: AbortSignal): Promise<readonly KubeObject[] | undefined> {
  return ifThere(client.list(performanceProfileKind, { signal }).then(({ items }) => items));
}

/** Objects of OpenShift that say how the cluster was installed; nothing on other clusters. */
export async function gatherPlatform(
  client: Client,
  signal: AbortSignal,
): Promise<Pick<ClusterObjects, "infrastructure" | "featureGate">> {
  const [infrastructure, featureGate] = await Promise.all(
    [infrastructureKind, featureGateKind].map((kind) => ifThere(client.get(kind, "cluster", { signal }))),
  );
  return { infrastructure, featureGate };
}

/** KubeletConfigs and RuntimeClasses that have the names of objects derived from these profiles. */
export async function gatherDerived(
  client: Client,
  profiles: readonly string[],
  signal: AbortSignal,
): Promise<readonly KubeObject[]> {
  const found: KubeObject[] = [];
  // One profile after the other: a folder may hold hundreds.
  for (const profile of profiles) {
    const names = derivedNames(profile);
    const objects = await Promise.all([
      ifThere(client.get(kubeletConfigKind, names.kubeletConfig, { signal })),
      ifThere(client.get(kinds.runtimeClass as KindRef, names.runtimeClass, { signal })),
    ]);
    found.push(...objects.filter((object) => object !== undefined));
  }
  return found;
}
