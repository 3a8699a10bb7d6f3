import type { Informer } from "../../cluster/kube/cache.ts";
import type { Client } from "../../cluster/kube/client.ts";
import { informerOfOne } from "../../cluster/kube/informer/informer.ts";
import { kinds } from "../../cluster/kube/kinds.ts";
import type { Clock } from "../../cluster/runtime/clock.ts";
import type { Manager } from "../../cluster/runtime/controller/manager.ts";
import { infrastructureKind, partitioningConfigMap } from "../../domain/workload-partitioning/identifier.ts";
import type { KubeObject } from "../../language/object/meta.ts";
import type { ClusterFeatures } from "./cluster-features.ts";

/** The object that says whether the cluster is partitioned, as `partitioningStatus` reads it: at most one. */
export function partitioningIdentifier(
  manager: Manager,
  { client, features, clock }: { readonly client: Client; readonly features: ClusterFeatures; readonly clock: Clock },
): Informer {
  if (features.infrastructures)
    return manager.informer(infrastructureKind, { fieldSelector: "cluster" }, () =>
      informerOfOne(client, infrastructureKind, { name: "cluster", clock }),
    );
  const { namespace, name } = partitioningConfigMap;
  return manager.informer<KubeObject>(kinds.configMap, { namespace, fieldSelector: name }, () =>
    informerOfOne<KubeObject>(client, kinds.configMap, { namespace, name, clock }),
  );
}
