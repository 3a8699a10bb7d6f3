import { isForbidden, isNotFound } from "../../../cluster/kube/api-error.ts";
import type { Client } from "../../../cluster/kube/client.ts";
import type { Cluster, Impersonation } from "../../../cluster/kube/connect/connection.ts";
import { kinds } from "../../../cluster/kube/kinds.ts";
import { type Clock, systemClock } from "../../../cluster/runtime/clock.ts";
import { type Log, noLog } from "../../../cluster/runtime/log/log.ts";
import type { NodeCaches } from "../workloads/workload-caches.ts";
import { behaviourFolder } from "./container/behaviour.ts";
import { LogBudget } from "./container/container-log.ts";
import { LogAccess } from "./log/log-access.ts";
import { startLogServer } from "./log/log-server.ts";
import { NodeKeeper } from "./node/node-keeper.ts";
import { Patience } from "./timeout.ts";
import { PodEvents } from "./pod/pod-events.ts";
import { PodKeeper } from "./pod/pod-keeper.ts";
import type { Program } from "./container/program.ts";
import { nodeIdentity, type VirtualNode } from "./node/virtual-node.ts";

export interface KubeletsOptions {
  /** The lab's own account: reads pods and nodes, plays the node controller, asks who readers of logs are. */
  client: Client;
  readonly clientAs: (who: Impersonation) => Client;
  /** Where programs find the API server. */
  cluster: Cluster;
  nodes: readonly VirtualNode[];
  /** Of the lab's own account, run by whoever made them. */
  caches: NodeCaches;
  /** Whether a node controller lifts taints as nodes become ready. Without one the lab does it. */
  nodeController?: boolean;
  /** What a container does whose first word is `attune`. Without it, such a container is like any other. */
  program?: Program;
  signal: AbortSignal;
  /** What becomes of the nodes at the end. Default `retire`: they stay and are not ready. */
  atEnd?: "retire" | "remove";
  onRegistered?: (name: string) => void;
  clock?: Clock;
  log?: Log;
}

/** The kubelets of many virtual nodes, until the signal: nodes that live, pods that run, logs that can be read. */
export async function runKubelets(options: KubeletsOptions): Promise<void> {
  const { client, clientAs, nodes, signal, clock = systemClock, log = noLog } = options;
  const kubelet = (name: string): Client => clientAs(nodeIdentity(name));
  const server = await startLogServer({
    find: (namespace, name) => podKeeper.find(namespace, name),
    access: new LogAccess(client, clock),
    clientAuthority: await clientAuthority(options),
    clock,
    log,
  });
  const patience = new Patience(log);
  const events = new PodEvents({ kubelet, clock });
  const failures = new FailureFiles(nodes, (name) => podKeeper.look(name));
  const nodeKeeper: NodeKeeper = new NodeKeeper({
    ...options,
    kubelet,
    patience,
    port: server.port,
    onLost: (name) => podKeeper.look(name),
    onBeat: (name) => failures.look(name),
    clock,
    log,
  });
  const podKeeper: PodKeeper = new PodKeeper({
    ...options,
    kubelet,
    patience,
    plays: (name) => nodeKeeper.plays(name),
    budget: new LogBudget(),
    events,
    clock,
    log,
  });
  try {
    await Promise.all([nodeKeeper.run(signal), podKeeper.run(signal)]);
    await events.stop();
    await (options.atEnd === "remove" ? nodeKeeper.remove() : nodeKeeper.retire());
  } finally {
    await server.close();
  }
}

/** Whose certificates a kubelet believes: what the cluster publishes, else the authority that we ourselves believe. */
async function clientAuthority({ client, cluster }: KubeletsOptions): Promise<string | undefined> {
  try {
    const name = "extension-apiserver-authentication";
    const { data } = await client.get(kinds.configMap, name, { namespace: "kube-system" });
    return data?.["client-ca-file"] ?? cluster.certificateAuthority;
  } catch (error) {
    if (isNotFound(error) || isForbidden(error)) return cluster.certificateAuthority;
    throw error;
  }
}

/** Looks with every heartbeat whether a file of a node says something new about its pods. */
class FailureFiles {
  readonly #nodes: ReadonlyMap<string, VirtualNode>;
  readonly #changed: (node: string) => void;
  readonly #known = new Map<string, string>();

  constructor(nodes: readonly VirtualNode[], changed: (node: string) => void) {
    this.#nodes = new Map(nodes.map((node) => [node.name, node]));
    this.#changed = changed;
  }

  look(name: string): void {
    const host = this.#nodes.get(name)?.usedHost;
    if (!host) return;
    let text = "";
    for (const [path, content] of host.changes())
      if (path.startsWith(`${behaviourFolder}/`) && content !== undefined) text += `${path}\n${content}\n`;
    if (text === (this.#known.get(name) ?? "")) return;
    this.#known.set(name, text);
    this.#changed(name);
  }
}
