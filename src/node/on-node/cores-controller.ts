import { ifThere } from "../../cluster/kube/api-error.ts";
import type { Informer } from "../../cluster/kube/cache.ts";
import type { Client } from "../../cluster/kube/client.ts";
import { kinds } from "../../cluster/kube/kinds.ts";
import type { Clock } from "../../cluster/runtime/clock.ts";
import { Controller, source } from "../../cluster/runtime/controller/controller.ts";
import type { Log } from "../../cluster/runtime/log/log.ts";
import { updateOf } from "../../domain/rollout/node-annotations.ts";
import { coresResource, missingCores } from "../../domain/workload-partitioning/node/agent-cores.ts";
import { pinningPaths } from "../../domain/workload-partitioning/pinning-files.ts";
import type { KubeObject } from "../../language/object/meta.ts";
import type { Host } from "../host/host.ts";

export interface CoresOptions {
  readonly client: Client;
  /** Caches this node's own Node and no other. */
  readonly nodes: Informer;
  readonly node: string;
  readonly host: Host;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Keeps the cores of a partitioned node in its capacity. A kubelet that starts sets them to 0, unless device plugins have registered
 * with it before.
 */
export function coresController({ client, nodes, node, host, clock, log }: CoresOptions): Controller {
  return new Controller({
    name: "cores",
    clock,
    log,
    sources: [source(nodes, () => [node])],
    async reconcile() {
      const known = nodes.get(node);
      if (!known || !isSettled(known) || (await host.stat(pinningPaths.kubelet)).type !== "file") return;
      const cores = missingCores(known);
      if (cores === undefined) return;
      await patchCores(client, node, cores);
      log.info({ cores }, "added the cores of the partitioned node to its capacity");
    },
  });
}

/** CRI-O reads its files when it starts: not before the update that brings them is over. */
function isSettled({ metadata }: KubeObject): boolean {
  const { current, desired, state } = updateOf(metadata);
  return current === desired && (state === "" || state === "Done");
}

/** `null` removes them: the node is not partitioned any more. */
export async function patchCores(client: Client, node: string, cores: string | null): Promise<void> {
  const patch = { status: { capacity: { [coresResource]: cores } } };
  const options = { subresource: "status", fieldManager: "attune-agent" };
  await ifThere(client.patch(kinds.node, node, { type: "merge", patch }, options));
}
