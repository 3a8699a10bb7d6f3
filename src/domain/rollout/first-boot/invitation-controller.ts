import { ifThere } from "../../../cluster/kube/api-error.ts";
import type { Informer } from "../../../cluster/kube/cache.ts";
import type { Client } from "../../../cluster/kube/client.ts";
import { kinds } from "../../../cluster/kube/kinds.ts";
import type { Clock } from "../../../cluster/runtime/clock.ts";
import { Controller, source } from "../../../cluster/runtime/controller/controller.ts";
import type { Log } from "../../../cluster/runtime/log/log.ts";
import type { Metrics } from "../../../cluster/runtime/metrics/metrics.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import type { RolloutCaches } from "../rollout-controller.ts";
import type { NodeWriter } from "../node-writer-controller.ts";
import { afterJoin } from "./after-join.ts";
import { firstBootNamespace, invitationName, invitedNode, readInvitation } from "./invitation.ts";

export interface InvitationOptions {
  /** Of the leader. */
  readonly client: Client;
  readonly caches: Pick<RolloutCaches, "pools" | "nodes" | "machineConfigs">;
  /** Secrets of the namespace. */
  readonly invitations: Informer;
  readonly writer: NodeWriter;
  readonly clock: Clock;
  readonly log?: Log | undefined;
  readonly metrics?: Metrics | undefined;
}

/** Ends invitations: a node that joined is told the config that it has, and no token outlives that. */
export function invitationController(options: InvitationOptions): Controller {
  const { client, caches, invitations, writer, clock } = options;
  const invited = ({ object }: { readonly object: KubeObject }): string[] => {
    const node = invitedNode(object);
    return node === undefined ? [] : [node];
  };
  return new Controller({
    name: "first-boot-invitations",
    clock,
    log: options.log,
    metrics: options.metrics,
    sources: [
      source(invitations, invited),
      source(caches.nodes, ({ object, type }) => (type === "added" ? [object.metadata.name ?? ""] : [])),
      source(caches.pools, () => []),
      source(caches.machineConfigs, () => []),
    ],
    async reconcile(name, { signal, log }) {
      const found = invitations.get(`${firstBootNamespace}/${invitationName(name)}`);
      if (!found) return {};
      const invitation = readInvitation(found);
      const outcome = invitation
        ? afterJoin({
            invitation,
            node: writer.get(name),
            pool: caches.pools.get(invitation.pool),
            rendered: caches.machineConfigs.get(invitation.claim?.config ?? ""),
            now: clock.now(),
          })
        : ({ type: "over", change: undefined } as const);
      if (outcome.type === "wait") return { requeueAfterMs: outcome.ms };
      const { uid, resourceVersion } = found.metadata;
      const options = { namespace: firstBootNamespace, preconditions: { uid, resourceVersion }, signal };
      // A conflict is tried again: the kubelet wrote the Node meanwhile, or it was claimed and its Node must be told.
      if (outcome.change) await writer.write(outcome.change, signal);
      await ifThere(client.delete(kinds.secret, invitationName(name), options));
      log.info({ node: name, config: invitation?.claim?.config }, "invitation ended");
      return {};
    },
  });
}
