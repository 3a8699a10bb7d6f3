import type { Client } from "../../cluster/kube/client.ts";
import { createInformer } from "../../cluster/kube/informer/informer.ts";
import { kinds } from "../../cluster/kube/kinds.ts";
import type { Clock } from "../../cluster/runtime/clock.ts";
import type { Runnable } from "../../cluster/runtime/controller/runnable-group.ts";
import { authentication } from "./rbac.ts";

const key = "client-ca-file";

export interface MetricsClients extends Runnable {
  /** In PEM; "" where there are none, `undefined` as long as that is not known. */
  readonly authorities: () => string | undefined;
}

/**
 * Who may read metrics where they are served over HTTPS. Not among the informers of the manager: node tuning must not wait for
 * it.
 */
export function metricsClients(client: Client, clock: Clock): MetricsClients {
  const { namespace, name } = authentication;
  const configMaps = createInformer(client, kinds.configMap, {
    namespace,
    fieldSelector: `metadata.name=${name}`,
    clock,
  });
  return {
    name: "authorities of client certificates",
    run: (signal) => configMaps.run(signal),
    authorities: () => (configMaps.synced ? (configMaps.get(`${namespace}/${name}`)?.data?.[key] ?? "") : undefined),
  };
}
