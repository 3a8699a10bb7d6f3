import type { Client } from "../../cluster/kube/client.ts";
import { group } from "../../domain/node-tuning/api.ts";
import { tunedWarnings } from "../../domain/node-tuning/status/tuned-status.ts";
import type { Clock } from "../../cluster/runtime/clock.ts";
import type { Log } from "../../cluster/runtime/log/log.ts";
import { clusterCaches, type ClusterView } from "./cluster-caches.ts";
import type { AdmissionHandler, Handlers } from "./handler.ts";
import { performanceProfileConversion, performanceProfileHandler } from "./performance-profile-handler.ts";

/** Warns on apply about what is wrong with a Tuned. It never refuses one, so writes need not wait for the webhook. */
const tunedHandler: AdmissionHandler = {
  name: "tuneds",
  type: "validating",
  rules: [{ apiGroups: [group], apiVersions: ["v1"], resources: ["tuneds"], operations: ["CREATE", "UPDATE"] }],
  failurePolicy: "Ignore",
  timeoutSeconds: 5,
  review: ({ object }) => ({ type: "allow", warnings: object ? tunedWarnings(object) : [] }),
};

/** All handlers of Attune, and the caches they answer from. */
export function attuneHandlers(
  client: Client,
  options: { clock?: Clock | undefined; log?: Log | undefined } = {},
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
