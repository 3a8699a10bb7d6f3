import type { Informer } from "../../cluster/kube/cache.ts";
import type { Client } from "../../cluster/kube/client.ts";
import { createInformer } from "../../cluster/kube/informer/informer.ts";
import type { Clock } from "../../cluster/runtime/clock.ts";
import type { Manager } from "../../cluster/runtime/controller/manager.ts";
import { managedBy, ownIndexes } from "../../domain/node-pool/hosted-cluster/marks.ts";
import { byNamespace } from "../../domain/node-pool/node-pool-caches.ts";
import type { KindRef, KubeObject } from "../../language/object/meta.ts";

export interface InformerPlace {
  readonly manager: Manager;
  readonly client: Client;
  readonly clock: Clock;
}

/** What the management side has made, of one kind: by hosted cluster, and by namespace. */
export function ownInformer(kind: KindRef, { manager, client, clock }: InformerPlace): Informer {
  const labelSelector = Object.entries(managedBy)
    .map(([name, value]) => `${name}=${value}`)
    .join(",");
  const indexes = { ...ownIndexes, ...byNamespace };
  return manager.informer(kind, { labelSelector }, () =>
    createInformer<KubeObject>(client, kind, { labelSelector, indexes, clock }),
  );
}
