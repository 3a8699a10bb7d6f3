import type { Engine } from "../engine/engine.ts";
import { nativeEngine } from "../engine/native-engine.ts";
import type { Host } from "../host/host.ts";
import type { Client } from "../kube/client.ts";
import { createInformer } from "../kube/informer.ts";
import { profileKind, tuningNamespace } from "../node-tuning/api.ts";
import { tuneController } from "../on-node/tune-controller.ts";
import { type Clock, systemClock } from "../runtime/clock.ts";
import { type Log, noLog } from "../runtime/log.ts";
import { Manager } from "../runtime/manager.ts";

export interface AgentOptions {
  client: Client;
  /** The node's name, and so its Profile's. */
  node: string;
  host: Host;
  signal: AbortSignal;
  /** Default native. */
  engine?: Engine;
  namespace?: string;
  clock?: Clock;
  log?: Log;
}

/** The agent of one node, until the signal aborts. Settings stay in force after it. */
export async function runAgent(options: AgentOptions): Promise<void> {
  const { client, node, host, signal, namespace = tuningNamespace, clock = systemClock } = options;
  const { engine = nativeEngine() } = options;
  const log = (options.log ?? noLog).child({ node });
  const manager = new Manager({ clock, log });
  const own = { namespace, fieldSelector: `metadata.name=${node}` };
  const profiles = manager.informer(profileKind, own, () => createInformer(client, profileKind, { ...own, clock }));
  const controller = tuneController({ client, profiles, namespace, node, host, engine, clock, log });
  manager.add(controller, { on: "everywhere" });
  // Looked at even if nothing happens: the Profile may have gone while no agent ran.
  controller.queue.add(`${namespace}/${node}`);
  await manager.run(signal);
}
