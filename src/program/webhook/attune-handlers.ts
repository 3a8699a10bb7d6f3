import type { Client } from "../../cluster/kube/client.ts";
import type { Clock } from "../../cluster/runtime/clock.ts";
import type { Log } from "../../cluster/runtime/log/log.ts";
import { clusterCaches, type ClusterView } from "./cluster-caches.ts";
import type { Handlers } from "./handler.ts";
import { performanceProfileConversion, performanceProfileHandler } from "./performance-profile-handler.ts";
import { tunedHandler } from "./tuned-handler.ts";

/** Every opinion that Attune has on writes, and what it needs to know to have them. */
export function attuneHandlers(
  client: Client,
  options: { clock?: Clock; log?: Log } = {},
): { readonly handlers: Handlers; readonly cluster: ClusterView } {
  const cluster = clusterCaches(client, options);
  return {
    handlers: {
      admission: [tunedHandler, performanceProfileHandler(cluster)],
      conversion: [performanceProfileConversion],
    },
    cluster,
  };
}
