import { kinds } from "../../../cluster/kube/kinds.ts";
import type { KindRef } from "../../../cluster/kube/client.ts";
import {
  containerRuntimeConfigKind,
  kubeletConfigKind,
  type MachineConfig,
  machineConfigKind,
} from "../../../domain/machine-config/api.ts";
import { machineConfigurationKind } from "../../../domain/machine-config/cost/disruption-policy.ts";
import { profileKind, tunedKind, tuningNamespace } from "../../../domain/node-tuning/api.ts";
import {
  type PerformanceProfile,
  performanceProfileKind,
  runtimeClassKind,
} from "../../../domain/performance-profile/api.ts";
import { featureGateKind } from "../../../domain/performance-profile/mixed-cpus-allowed.ts";
import { previewObject } from "../../../domain/plan/preview-objects.ts";
import { infrastructureKind, partitioningConfigMap } from "../../../domain/workload-partitioning/identifier.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import type { CacheDefinition } from "../user-caches.ts";

function previewed(
  kind: KindRef,
  of: Pick<CacheDefinition<KubeObject>, "namespace" | "fieldSelector"> = {},
): CacheDefinition<KubeObject> {
  return { kind, ...of, project: previewObject };
}

export const nodeCache = previewed(kinds.node);
export const profileCache = previewed(profileKind, { namespace: tuningNamespace });
export const configCache: CacheDefinition<MachineConfig> = { kind: machineConfigKind, project: previewObject };
export const performanceProfileCache: CacheDefinition<PerformanceProfile> = {
  kind: performanceProfileKind,
  project: previewObject,
};
/** Of the platform: they are the same with hosted control planes. */
export const platformCaches = [
  previewed(runtimeClassKind),
  previewed(featureGateKind, { fieldSelector: "metadata.name=cluster" }),
  previewed(infrastructureKind, { fieldSelector: "metadata.name=cluster" }),
  previewed(kinds.configMap, {
    namespace: partitioningConfigMap.namespace,
    fieldSelector: `metadata.name=${partitioningConfigMap.name}`,
  }),
];
export const otherCaches = [
  previewed(tunedKind, { namespace: tuningNamespace }),
  previewed(kubeletConfigKind),
  previewed(containerRuntimeConfigKind),
  previewed(machineConfigurationKind),
  ...platformCaches,
];
