import type { Client } from "../../cluster/kube/client.ts";
import { createInformer } from "../../cluster/kube/informer/informer.ts";
import { kinds } from "../../cluster/kube/kinds.ts";
import type { Clock } from "../../cluster/runtime/clock.ts";
import type { Manager } from "../../cluster/runtime/controller/manager.ts";
import type { ConfigMap } from "../../domain/hosted/envelope/read-manifests.ts";
import { hostedClusterKind, nodePoolKind } from "../../domain/node-pool/api.ts";
import type { MachineProvider } from "../../domain/node-pool/machine-provider.ts";
import {
  byNamespace,
  configMapIndexes,
  hostedClusterIndexes,
  nodePoolIndexes,
  projectConfigMap,
  projectNamespace,
} from "../../domain/node-pool/node-pool-caches.ts";
import type { NodePoolCaches } from "../../domain/node-pool/node-pool-controller.ts";
import type { KindRef, KubeObject } from "../../language/object/meta.ts";
import { ownInformer } from "./own-informer.ts";

export interface CachesInput {
  readonly manager: Manager;
  readonly client: Client;
  readonly clock: Clock;
  readonly provider: MachineProvider | undefined;
}

export function nodePoolCaches({ manager, client, clock, provider }: CachesInput): NodePoolCaches {
  const configMapKind = kinds.configMap as KindRef<ConfigMap>;
  return {
    nodePools: manager.informer(nodePoolKind, {}, () =>
      createInformer(client, nodePoolKind, { indexes: nodePoolIndexes, clock }),
    ),
    hostedClusters: manager.informer(hostedClusterKind, {}, () =>
      createInformer(client, hostedClusterKind, { indexes: hostedClusterIndexes, clock }),
    ),
    namespaces: manager.informer(kinds.namespace, {}, () =>
      createInformer<KubeObject>(client, kinds.namespace, { project: projectNamespace, clock }),
    ),
    configMaps: manager.informer(configMapKind, {}, () =>
      createInformer(client, configMapKind, { project: projectConfigMap, indexes: configMapIndexes, clock }),
    ),
    secrets: ownInformer(kinds.secret, { manager, client, clock }),
    machines: new Map(
      (provider?.kinds ?? []).map((kind) => [
        kind.kind,
        {
          kind,
          cache: manager.informer(kind, {}, () => createInformer(client, kind, { indexes: byNamespace, clock })),
        },
      ]),
    ),
  };
}
