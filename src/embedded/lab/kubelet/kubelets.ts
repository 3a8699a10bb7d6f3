import { isForbidden, isNotFound } from "../../../cluster/kube/api-error.ts";
import type { Client } from "../../../cluster/kube/client.ts";
import type { Cluster, Impersonation } from "../../../cluster/kube/connect/connection.ts";
import { kinds } from "../../../cluster/kube/kinds.ts";
import { type Clock, pause, systemClock } from "../../../cluster/runtime/clock.ts";
import { forEachBounded } from "../../../cluster/runtime/for-each-bounded.ts";
import { type Log, noLog } from "../../../cluster/runtime/log/log.ts";
import type { NodeCaches } from "../workloads/workload-caches.ts";
import { behaviourFolder } from "./container/behaviour.ts";
import { LogBudget } from "./container/container-log.ts";
import { LogAccess } from "./log/log-access.ts";
import { startLogServer } from "./log/log-server.ts";
import { NodeKeeper } from "./node/node-keeper.ts";
import { NodePower } from "./node/node-power.ts";
import { OutageRetry } from "./outage-retry.ts";
import { PodEvents } from "./pod/pod-events.ts";
import { PodKeeper } from "./pod/pod-keeper.ts";
import type { Program } from "./container/program.ts";
import { StaticPodKeeper } from "./static-pod/static-pod-keeper.ts";
import { nodeIdentity, type VirtualNode } from "./node/virtual-node.ts";

export interface KubeletsOptions {
  /** The lab's own account: reads pods and nodes, writes what kubelets may not, authenticates readers of logs. */
  client: Client;
  readonly clientAs: (who: Impersonation) => Client;
  /** The API server that programs in containers connect to. */
  cluster: Cluster;
  nodes: readonly VirtualNode[];
  /** Of the lab's own account. The caller runs them. */
  caches: NodeCaches;
  /** Whether a node controller removes taints when nodes become ready. Default: the lab does it. */
  nodeController?: boolean | undefined;
  /** Runs containers whose command is `attune`. Without it, such a container is like any other. */
  program?: Program | undefined;
  /** Runs `attune` with these arguments, as a unit of a machine starts it. Returns why it failed. */
  runAttune?: ((node: VirtualNode, args: readonly string[]) => Promise<string | undefined>) | undefined;
  /** Puts files on a machine before it starts for the first time. Default: it has started, and its kubelet registers at once. */
  prepare?: ((node: VirtualNode) => Promise<void>) | undefined;
  /** Called once, with what adds machines and takes them away while this runs. */
  onFleet?: ((fleet: Fleet) => void) | undefined;
  signal: AbortSignal;
  /** How long a machine is off between two boots. Default 1 s. */
  bootMs?: number | undefined;
  /** At the end nodes are marked NotReady (`retire`, the default) or deleted (`remove`). */
  atEnd?: "retire" | "remove" | undefined;
  onRegistered?: ((name: string) => void) | undefined;
  clock?: Clock | undefined;
  log?: Log | undefined;
}

/** Machines that come and go. */
export interface Fleet {
  /** Resolves when it was started for the first time, with what `prepare` put on it. */
  add(node: VirtualNode, prepare: (node: VirtualNode) => Promise<void>): Promise<void>;
  /** Resolves when its Node is deleted. */
  remove(node: VirtualNode): Promise<void>;
}

/** Runs the kubelets of many virtual nodes until the signal. */
export async function runKubelets(options: KubeletsOptions): Promise<void> {
  const { client, clientAs, nodes, signal, clock = systemClock, log = noLog } = options;
  const kubelet = (name: string): Client => clientAs(nodeIdentity(name));
  const server = await startLogServer({
    find: (namespace, name) => podKeeper.find(namespace, name),
    host: (name) => known.get(name)?.host,
    access: new LogAccess(client, clock),
    clientAuthority: await clientAuthority(options),
    clock,
    log,
  });
  const outageRetry = new OutageRetry(log);
  const events = new PodEvents({ kubelet, clock });
  const known = new Map(nodes.map((node) => [node.name, node]));
  const behaviourFiles = new BehaviourFiles(known, (name) => podKeeper.resync(name));
  const nodeKeeper: NodeKeeper = new NodeKeeper({
    ...options,
    kubelet,
    outageRetry,
    port: server.port,
    onLost: (name) => podKeeper.resync(name),
    onBeat: (name) => {
      behaviourFiles.check(name);
      staticPods.check(name);
    },
    clock,
    log,
  });
  const shared = { ...options, kubelet, outageRetry, stateOf: nodeKeeper.stateOf.bind(nodeKeeper), clock, log };
  const podKeeper: PodKeeper = new PodKeeper({ ...shared, budget: new LogBudget(), events });
  const staticPods: StaticPodKeeper = new StaticPodKeeper({ ...shared, nodes: known });
  const { bootMs = 1000 } = options;
  const power = new NodePower({ ...options, nodeKeeper, podKeeper, staticPods, events, bootMs, clock, log });
  for (const node of nodes) node.attach(power);
  const { prepare } = options;
  // A kubelet reads its configuration as it starts; without one it has started.
  const unstarted = prepare ? nodes : nodes.filter(({ options: { topology } }) => topology.reservedCpus !== undefined);
  for (const { name } of unstarted) nodeKeeper.halt(name, "off");
  const starting = forEachBounded(unstarted, 32, (node) => installed(node, prepare ?? (async () => {})));
  async function installed(node: VirtualNode, prepared: NonNullable<KubeletsOptions["prepare"]>): Promise<void> {
    while (!signal.aborted && known.get(node.name) === node)
      try {
        await prepared(node);
        return await power.firstStart(node);
      } catch (error) {
        log.warn({ error, node: node.name }, "prepare a virtual machine");
        await pause(clock, 1000, signal);
      }
  }
  options.onFleet?.({
    async add(node, prepared) {
      known.set(node.name, node);
      nodeKeeper.add(node);
      podKeeper.add(node);
      node.attach(power);
      await installed(node, prepared);
    },
    async remove(node) {
      known.delete(node.name);
      await power.takeAway(node);
    },
  });
  try {
    await Promise.all([nodeKeeper.run(signal), podKeeper.run(signal), staticPods.run(signal), starting]);
    await events.stop();
    await (options.atEnd === "remove" ? nodeKeeper.remove() : nodeKeeper.retire());
  } finally {
    await server.close();
  }
}

/** The authority for client certificates: the published one, else the one that signed the API server's certificate. */
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

/** Checks with every heartbeat whether the behaviour files of a node changed. */
class BehaviourFiles {
  readonly #nodes: ReadonlyMap<string, VirtualNode>;
  readonly #changed: (node: string) => void;
  readonly #known = new Map<string, string>();

  constructor(nodes: ReadonlyMap<string, VirtualNode>, changed: (node: string) => void) {
    this.#nodes = nodes;
    this.#changed = changed;
  }

  check(name: string): void {
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
