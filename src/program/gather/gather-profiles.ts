import { ifThere } from "../../cluster/kube/api-error.ts";
import type { Client, KindRef } from "../../cluster/kube/client.ts";
import { kinds } from "../../cluster/kube/kinds.ts";
import { kubeletConfigKind } from "../../domain/machine-config/api.ts";
import type { KubeObject } from "../../language/object/meta.ts";
import { performanceProfileKind } from "../../domain/performance-profile/api.ts";
import type { ClusterObjects } from "../../domain/performance-profile/surroundings.ts";
import { featureGateKind } from "../../domain/performance-profile/mixed-cpus-allowed.ts";
import { derivedNames } from "../../domain/performance-profile/names.ts";
import { infrastructureKind, partitioningConfigMap } from "../../domain/workload-partitioning/identifier.ts";

/** Undefined where the cluster has no such kind. */
export async function gatherProfiles(client: Client, signal: AbortSignal): Promise<readonly KubeObject[] | undefined> {
  return ifThere(client.list(performanceProfileKind, { signal }).then(({ items }) => items));
}

/** Objects that say how the cluster was installed. */
export async function gatherPlatform(
  client: Client,
  signal: AbortSignal,
): Promise<Pick<ClusterObjects, "infrastructure" | "featureGate">> {
  const [infrastructure, featureGate] = await Promise.all([
    gatherIdentifier(client, signal),
    ifThere(client.get(featureGateKind, "cluster", { signal })),
  ]);
  return { infrastructure, featureGate };
}

/** Says whether the cluster is partitioned: the Infrastructure where it is served, elsewhere the ConfigMap that stands in for it. */
async function gatherIdentifier(client: Client, signal: AbortSignal): Promise<KubeObject | undefined> {
  const fieldSelector = "metadata.name=cluster";
  const infrastructures = await ifThere(client.list(infrastructureKind, { fieldSelector, signal }));
  if (infrastructures) return infrastructures.items[0];
  const { name, namespace } = partitioningConfigMap;
  return ifThere(client.get(kinds.configMap as KindRef, name, { namespace, signal }));
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
