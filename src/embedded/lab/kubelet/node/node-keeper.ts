import { randomUUID } from "node:crypto";
import type { Taint } from "kubernetes-types/core/v1.js";
import { type CacheEvent, isOlder } from "../../../../cluster/kube/cache.ts";
import type { Client } from "../../../../cluster/kube/client.ts";
import { isAlreadyExists, isNotFound } from "../../../../cluster/kube/api-error.ts";
import { kinds } from "../../../../cluster/kube/kinds.ts";
import { hashText } from "../../../../language/object/hash.ts";
import { findCondition } from "../../../../language/object/condition.ts";
import type { Clock } from "../../../../cluster/runtime/clock.ts";
import { Controller, source } from "../../../../cluster/runtime/controller/controller.ts";
import { forEachBounded } from "../../../../cluster/runtime/for-each-bounded.ts";
import type { Log } from "../../../../cluster/runtime/log/log.ts";
import type { NodeCaches } from "../../workloads/workload-caches.ts";
import { leaseNamespace, renewNodeLease } from "./node-lease.ts";
import { foreignLabels, instanceAnnotation, nodeObject, nodeStatus, stoppedCondition } from "./node-object.ts";
import { withTransitionTimes, type Node } from "./node-object.ts";
import type { Patience } from "../timeout.ts";
import type { VirtualNode } from "./virtual-node.ts";

export interface NodeKeeperOptions {
  nodes: readonly VirtualNode[];
  /** The lab's own account, which plays the node controller: labels of roles, taints. */
  client: Client;
  /** As the kubelet of this node. */
  readonly kubelet: (name: string) => Client;
  caches: Pick<NodeCaches, "nodes">;
  /** Whether somebody else lifts the taints of nodes that are ready. */
  nodeController?: boolean;
  port: number;
  patience: Patience;
  clock: Clock;
  log: Log;
  onRegistered?: (name: string) => void;
  /** Another lab plays this node from now on. */
  onLost?: (name: string) => void;
  /** Called with every heartbeat. */
  onBeat?: (name: string) => void;
}

/** All that is kept for an idle node. */
interface Kept {
  readonly node: VirtualNode;
  registered: boolean;
  lost: boolean;
  uid: string;
  /** The version of the Node that we wrote last: what the informer tells of older ones is news of before. */
  written: string;
  statusDue: number;
  leaseDue: number;
}

const heartbeatMs = 10_000;
const statusMs = 300_000;
/** Put on and taken off by the node controller, as the Ready condition goes. */
const conditionTaints = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"];
const notReadyTaint = { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" };

/** Registers nodes and keeps them alive: one queue with one alarm for all of them, however many they are. */
export class NodeKeeper {
  readonly instance = randomUUID();
  readonly #options: NodeKeeperOptions;
  readonly #kept: ReadonlyMap<string, Kept>;
  readonly #controller: Controller;

  constructor(options: NodeKeeperOptions) {
    this.#options = options;
    const fresh = { registered: false, lost: false, uid: "", written: "", statusDue: 0, leaseDue: 0 };
    this.#kept = new Map(options.nodes.map((node) => [node.name, { node, ...fresh }]));
    const { clock, log, caches } = options;
    this.#controller = new Controller({
      name: "node-keeper",
      clock,
      log,
      concurrency: 32,
      // A kubelet asks again after 200 ms, doubling to 7 s.
      queue: { backoff: { baseMs: 200, maxMs: 7000 }, overall: false },
      stopGraceMs: 5000,
      sources: [source(caches.nodes, (event) => this.#concerned(event))],
      reconcile: async (name) => options.patience.try(() => this.#beat(name)),
    });
  }

  /** Whether this node is ours to speak for. */
  plays(name: string): boolean {
    return this.#kept.get(name)?.lost === false;
  }

  async run(signal: AbortSignal): Promise<void> {
    for (const name of this.#kept.keys()) this.#controller.queue.add(name);
    await this.#controller.run(signal);
  }

  /** Says of every node that it is not ready any more, as a kubelet and a node controller do between them. */
  async retire(): Promise<void> {
    const { client, kubelet, clock } = this.#options;
    await this.#eachOwn("say that nodes have stopped", async (name) => {
      const patch = { status: { conditions: [stoppedCondition(clock.now())] } };
      const options = { subresource: "status" };
      const stored = await kubelet(name).patch(kinds.node, name, { type: "strategic", patch }, options);
      // The list is replaced as a whole: those of others have to be in it.
      const taints = [...lastingTaints(stored), notReadyTaint];
      await client.patch(kinds.node, name, { type: "merge", patch: { spec: { taints } } });
    });
  }

  /** Takes the nodes out of the cluster. */
  async remove(): Promise<void> {
    const { client, kubelet } = this.#options;
    await this.#eachOwn("delete nodes", async (name) => {
      await kubelet(name).delete(kinds.lease, name, { namespace: leaseNamespace }).catch(unlessGone);
      await client.delete(kinds.node, name).catch(unlessGone);
    });
  }

  async #eachOwn(what: string, act: (name: string) => Promise<void>): Promise<void> {
    const own = [...this.#kept.values()].filter(({ registered, lost }) => registered && !lost);
    const failures: unknown[] = [];
    await forEachBounded(own, 32, async ({ node }) => {
      await act(node.name).catch((error: unknown) => failures.push(error));
    });
    if (failures.length > 0)
      this.#options.log.warn({ error: failures[0], failed: failures.length, nodes: own.length }, `could not ${what}`);
  }

  *#concerned(event: CacheEvent<Node>): Iterable<string> {
    const { name = "", resourceVersion = "", uid } = event.object.metadata;
    const kept = this.#kept.get(name);
    if (!kept?.registered || kept.lost) return;
    if (event.type === "deleted") {
      if (uid !== kept.uid) return;
      kept.registered = false;
      yield name;
    } else if (!isOlder(resourceVersion, kept.written)) {
      if (event.object.metadata.annotations?.[instanceAnnotation] !== this.instance) return this.#lose(kept);
      if (findCondition(event.object.status?.conditions, "Ready")?.status !== "True") kept.statusDue = 0;
      if (kept.statusDue === 0 || this.#isWanting(kept.node, event.object)) yield name;
    }
  }

  #lose(kept: Kept): void {
    kept.lost = true;
    this.#options.log.warn({ node: kept.node.name }, "another lab plays this node now");
    this.#options.onLost?.(kept.node.name);
  }

  async #beat(name: string): Promise<{ requeueAfterMs: number } | undefined> {
    const kept = this.#kept.get(name);
    if (!kept || kept.lost) return undefined;
    const { clock, caches } = this.#options;
    if (!kept.registered) await this.#admit(kept, await this.#register(kept));
    else {
      const known = caches.nodes.get(name);
      if (clock.monotonic() >= kept.statusDue) await this.#report(kept, known);
      if (known && !isOlder(known.metadata.resourceVersion ?? "", kept.written)) await this.#admit(kept, known);
    }
    if (clock.monotonic() >= kept.leaseDue) await this.#renew(kept);
    this.#options.onBeat?.(name);
    return { requeueAfterMs: Math.max(1, kept.leaseDue - clock.monotonic()) };
  }

  /** A Node that is there already is taken over, whoever made it. */
  async #register(kept: Kept): Promise<Node> {
    const { kubelet, port, clock, onRegistered, log } = this.#options;
    const { node } = kept;
    const client = kubelet(node.name);
    const object = nodeObject(node, { port, instance: this.instance, now: clock.now() });
    let stored: Node;
    try {
      stored = await client.create(kinds.node, object);
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      const { labels, annotations } = object.metadata;
      const patch = { metadata: { labels, annotations } };
      stored = await client.patch(kinds.node, node.name, { type: "merge", patch });
      kept.written = stored.metadata.resourceVersion ?? "";
      stored = await this.#report(kept, stored);
    }
    kept.uid = stored.metadata.uid ?? "";
    kept.written = stored.metadata.resourceVersion ?? "";
    kept.registered = true;
    // Spread by name: a thousand nodes that start together do not go on reporting together.
    kept.statusDue = clock.monotonic() + statusMs - spread(node.name, statusMs / 2);
    kept.leaseDue = 0;
    log.debug({ node: node.name }, "registered");
    onRegistered?.(node.name);
    return stored;
  }

  async #report(kept: Kept, before: Node | undefined): Promise<Node> {
    const { kubelet, port, clock } = this.#options;
    const status = withTransitionTimes(nodeStatus(kept.node, { port, now: clock.now() }), before?.status);
    const patch = { status };
    const options = { subresource: "status" };
    const name = kept.node.name;
    const stored = await kubelet(name).patch(kinds.node, name, { type: "strategic", patch }, options);
    kept.written = stored.metadata.resourceVersion ?? "";
    kept.statusDue = clock.monotonic() + statusMs;
    return stored;
  }

  /** What a kubelet may not do for itself. Written over the very version that was looked at: others do it too. */
  async #admit(kept: Kept, known: Node): Promise<void> {
    if (!this.#isWanting(kept.node, known)) return;
    const labels = { ...known.metadata.labels, ...Object.fromEntries(foreignLabels(kept.node)) };
    const taints = lastingTaints(known);
    const patch = {
      metadata: { labels, resourceVersion: known.metadata.resourceVersion },
      spec: { taints: taints.length > 0 ? taints : null },
    };
    const stored = await this.#options.client.patch(kinds.node, kept.node.name, { type: "merge", patch });
    kept.written = stored.metadata.resourceVersion ?? "";
  }

  /** Whether something on the Node is still the lab's to do, as its node controller or administrator. */
  #isWanting(node: VirtualNode, { metadata, spec }: Node): boolean {
    const isTainted = spec?.taints?.some(({ key }) => conditionTaints.includes(key));
    if (isTainted && !this.#options.nodeController) return true;
    return foreignLabels(node).some(([key, value]) => metadata.labels?.[key] !== value);
  }

  async #renew(kept: Kept): Promise<void> {
    const { kubelet, clock } = this.#options;
    const { node, uid } = kept;
    const first = kept.leaseDue === 0;
    await renewNodeLease(kubelet(node.name), { name: node.name, uid }, { first, now: clock.now() });
    kept.leaseDue = clock.monotonic() + heartbeatMs - (first ? spread(node.name, heartbeatMs) : 0);
  }
}

/** Without those that come and go with the Ready condition. */
function lastingTaints({ spec }: Node): Taint[] {
  return (spec?.taints ?? []).filter(({ key }) => !conditionTaints.includes(key));
}

/** A number below `range` that is always the same for a name. */
function spread(name: string, range: number): number {
  return Number.parseInt(hashText(name).slice(0, 8), 16) % range;
}

function unlessGone(error: unknown): void {
  if (!isNotFound(error)) throw error;
}
