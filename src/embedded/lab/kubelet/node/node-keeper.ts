import { randomUUID } from "node:crypto";
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
import { lagsBehind, withForeignResources } from "./foreign-resources.ts";
import { leaseNamespace, renewNodeLease } from "./node-lease.ts";
import { instanceAnnotation } from "./instance-annotation.ts";
import { adminLabels, nodeObject, nodeStatus, stoppedCondition } from "./node-object.ts";
import { withTransitionTimes, type Node } from "./node-object.ts";
import { followsReadiness, lastingTaints, notReadyTaint } from "./node-taints.ts";
import { fresh, type NodeRecord, type NodeState } from "./node-record.ts";
import type { OutageRetry } from "../outage-retry.ts";
import type { KubeletSettings } from "./kubelet-settings.ts";
import type { VirtualNode } from "./virtual-node.ts";

export interface NodeKeeperOptions {
  nodes: readonly VirtualNode[];
  /** The lab's own account, for what kubelets may not do: role labels, taints. */
  client: Client;
  /** The client that acts as the kubelet of this node. */
  readonly kubelet: (name: string) => Client;
  caches: Pick<NodeCaches, "nodes">;
  /** Whether a node controller removes the taints of ready nodes. Default: the lab does it. */
  nodeController?: boolean | undefined;
  port: number;
  outageRetry: OutageRetry;
  clock: Clock;
  log: Log;
  onRegistered?: ((name: string) => void) | undefined;
  /** Another lab has taken the node over. */
  onLost?: (name: string) => void;
  /** Called with every heartbeat. */
  onBeat?: (name: string) => void;
}

const heartbeatMs = 10_000;
const statusMs = 300_000;

/** Registers nodes, renews their leases and reports their status: one queue with one timer for all nodes. */
export class NodeKeeper {
  readonly instance = randomUUID();
  readonly #options: NodeKeeperOptions;
  readonly #nodes: Map<string, NodeRecord>;
  readonly #controller: Controller;

  constructor(options: NodeKeeperOptions) {
    this.#options = options;
    this.#nodes = new Map(options.nodes.map((node): [string, NodeRecord] => [node.name, { node, ...fresh }]));
    const { clock, log, caches } = options;
    this.#controller = new Controller({
      name: "node-keeper",
      clock,
      log,
      concurrency: 32,
      // A kubelet retries its registration after 200 ms, doubling to 7 s.
      queue: { backoff: { baseMs: 200, maxMs: 7000 }, overall: false },
      stopGraceMs: 5000,
      sources: [source(caches.nodes, (event) => this.#keysOf(event))],
      reconcile: async (name) => options.outageRetry.run(() => this.#beat(name)),
    });
  }

  /** `off` also for a node that another process runs. */
  stateOf(name: string): NodeState {
    const record = this.#nodes.get(name);
    return record && !record.lost ? record.state : "off";
  }

  /** A machine that is off. */
  add(node: VirtualNode): void {
    this.#nodes.set(node.name, { node, ...fresh, state: "off" });
  }

  /** Deletes the Node of a machine that is gone. Its name is free then. */
  async drop(name: string): Promise<void> {
    const record = this.#nodes.get(name);
    if (!record) return;
    // In the queue: a registration that is under way would bring the Node back.
    await new Promise<void>((resolve) => {
      record.dropped = resolve;
      this.#controller.queue.add(name);
    });
  }

  /** The Node becomes NotReady, as with a kubelet that shuts down with its machine. */
  async announceShutdown(name: string): Promise<void> {
    const record = this.#nodes.get(name);
    if (!record?.registered || record.lost || record.state !== "running") return;
    await new Promise<void>((resolve) => {
      record.announced = resolve;
      this.#controller.queue.add(name);
    });
  }

  /** From now on nothing is reported. */
  halt(name: string, state: "stopped" | "off"): void {
    const record = this.#nodes.get(name);
    if (record) record.state = state;
  }

  /** The kubelet has started: it reports at once. */
  resume(name: string): void {
    const record = this.#nodes.get(name);
    if (!record) return;
    Object.assign(record, { state: "running", restarted: true, statusDue: 0, leaseDue: 0 });
    this.#controller.queue.add(name);
  }

  async run(signal: AbortSignal): Promise<void> {
    for (const name of this.#nodes.keys()) this.#controller.queue.add(name);
    await this.#controller.run(signal);
  }

  /** Marks every node NotReady, with the condition of a kubelet and the taint of a node controller. */
  async retire(): Promise<void> {
    const { client, kubelet, clock } = this.#options;
    await this.#eachOwn("mark nodes NotReady", async (name) => {
      const patch = { status: { conditions: [stoppedCondition(clock.now())] } };
      const options = { subresource: "status" };
      const stored = await kubelet(name).patch(kinds.node, name, { type: "strategic", patch }, options);
      // A merge patch replaces the whole list, so it has the taints of other clients too.
      const taints = [...lastingTaints(stored), notReadyTaint];
      await client.patch(kinds.node, name, { type: "merge", patch: { spec: { taints } } });
    });
  }

  /** Deletes the nodes and their leases. */
  async remove(): Promise<void> {
    await this.#eachOwn("delete nodes", (name) => this.#delete(name));
  }

  async #delete(name: string): Promise<void> {
    const { client, kubelet } = this.#options;
    await kubelet(name).delete(kinds.lease, name, { namespace: leaseNamespace }).catch(unlessGone);
    await client.delete(kinds.node, name).catch(unlessGone);
  }

  async #eachOwn(what: string, act: (name: string) => Promise<void>): Promise<void> {
    const own = [...this.#nodes.values()].filter(({ registered, lost }) => registered && !lost);
    const failures: unknown[] = [];
    await forEachBounded(own, 32, async ({ node: { name } }) => {
      await this.#ifOwn(name, act).catch((error: unknown) => failures.push(error));
    });
    if (failures.length > 0)
      this.#options.log.warn({ error: failures[0], failed: failures.length, nodes: own.length }, `failed to ${what}`);
  }

  /** Asks the API server: the cache may not know yet that another lab has taken the node over. */
  async #ifOwn(name: string, act: (name: string) => Promise<void>): Promise<void> {
    const stored = await this.#options.kubelet(name).get(kinds.node, name).catch(unlessGone);
    if (stored?.metadata.annotations?.[instanceAnnotation] === this.instance) await act(name);
  }

  *#keysOf(event: CacheEvent<Node>): Iterable<string> {
    const { name = "", resourceVersion = "", uid } = event.object.metadata;
    const record = this.#nodes.get(name);
    if (!record?.registered || record.lost || record.dropped) return;
    if (event.type === "deleted") {
      if (uid !== record.uid) return;
      record.registered = false;
      yield name;
    } else if (record.state !== "running" || record.announced) return;
    else if (!isOlder(resourceVersion, record.written)) {
      if (event.object.metadata.annotations?.[instanceAnnotation] !== this.instance) return this.#lose(record);
      if (findCondition(event.object.status?.conditions, "Ready")?.status !== "True") record.statusDue = 0;
      if (lagsBehind(event.object.status, record.node)) record.statusDue = 0;
      if (record.statusDue === 0 || this.#needsAdmin(record.node, event.object)) yield name;
    }
  }

  #lose(record: NodeRecord): void {
    record.lost = true;
    this.#options.log.warn({ node: record.node.name }, "another lab has taken the node over");
    this.#options.onLost?.(record.node.name);
  }

  async #beat(name: string): Promise<{ requeueAfterMs: number } | undefined> {
    const record = this.#nodes.get(name);
    if (record?.dropped) return this.#drop(record, record.dropped);
    if (!record || record.lost) return undefined;
    if (record.announced) return this.#announce(record, record.announced);
    if (record.state !== "running") return undefined;
    const { clock, caches } = this.#options;
    if (!record.registered) await this.#administer(record, await this.#register(record));
    else {
      const known = caches.nodes.get(name);
      const isCurrent = known && !isOlder(known.metadata.resourceVersion ?? "", record.written);
      // After a restart resources are removed that the Node has: it must be known. Its event brings the node here again.
      const mayReport = isCurrent || !record.restarted;
      if (mayReport && clock.monotonic() >= record.statusDue) await this.#report(record, known);
      if (isCurrent && !isOlder(known.metadata.resourceVersion ?? "", record.written))
        await this.#administer(record, known);
    }
    if (clock.monotonic() >= record.leaseDue) await this.#renew(record);
    this.#options.onBeat?.(name);
    return { requeueAfterMs: Math.max(1, record.leaseDue - clock.monotonic()) };
  }

  async #announce(record: NodeRecord, announced: () => void): Promise<undefined> {
    const { kubelet, clock } = this.#options;
    const { name } = record.node;
    const patch = { status: { conditions: [stoppedCondition(clock.now(), "node is shutting down")] } };
    await kubelet(name)
      .patch(kinds.node, name, { type: "strategic", patch }, { subresource: "status" })
      .catch(unlessGone);
    // Nothing is reported between this and the end of the machine.
    record.state = "stopped";
    record.announced = undefined;
    announced();
  }

  async #drop({ node: { name }, lost }: NodeRecord, dropped: () => void): Promise<undefined> {
    if (!lost) await this.#delete(name);
    this.#nodes.delete(name);
    dropped();
  }

  /** A Node that exists already is taken over. */
  async #register(record: NodeRecord): Promise<Node> {
    const { kubelet, port, clock, onRegistered, log } = this.#options;
    const { node } = record;
    const started = node.kubelet;
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
      record.written = stored.metadata.resourceVersion ?? "";
      stored = await this.#report(record, stored);
    }
    record.uid = stored.metadata.uid ?? "";
    record.written = stored.metadata.resourceVersion ?? "";
    record.registered = true;
    // Spread by name: nodes that start together do not report together.
    reported(record, started, clock.monotonic() + statusMs - spread(node.name, statusMs / 2));
    record.leaseDue = 0;
    log.debug({ node: node.name }, "registered");
    onRegistered?.(node.name);
    return stored;
  }

  async #report(record: NodeRecord, before: Node | undefined): Promise<Node> {
    const { kubelet, port, clock } = this.#options;
    const started = record.node.kubelet;
    const own = withTransitionTimes(nodeStatus(record.node, { port, now: clock.now() }), before?.status);
    const isReset = record.restarted && record.node.kubelet?.resetsResources === true;
    const patch = { status: withForeignResources(own, before?.status, isReset) };
    const options = { subresource: "status" };
    const name = record.node.name;
    const stored = await kubelet(name).patch(kinds.node, name, { type: "strategic", patch }, options);
    record.written = stored.metadata.resourceVersion ?? "";
    reported(record, started, clock.monotonic() + statusMs);
    return stored;
  }

  /** Writes what a kubelet may not write itself. With the resourceVersion, since other clients write labels and taints too. */
  async #administer(record: NodeRecord, known: Node): Promise<void> {
    if (!this.#needsAdmin(record.node, known)) return;
    const labels = { ...known.metadata.labels, ...Object.fromEntries(adminLabels(record.node)) };
    const taints = lastingTaints(known);
    const patch = {
      metadata: { labels, resourceVersion: known.metadata.resourceVersion },
      spec: { taints: taints.length > 0 ? taints : null },
    };
    const stored = await this.#options.client.patch(kinds.node, record.node.name, { type: "merge", patch });
    record.written = stored.metadata.resourceVersion ?? "";
  }

  /** Whether the Node lacks a label, or has a taint, that is the lab's own account's to write. */
  #needsAdmin(node: VirtualNode, { metadata, spec }: Node): boolean {
    const isTainted = spec?.taints?.some(followsReadiness);
    if (isTainted && !this.#options.nodeController) return true;
    return adminLabels(node).some(([key, value]) => metadata.labels?.[key] !== value);
  }

  async #renew(record: NodeRecord): Promise<void> {
    const { kubelet, clock } = this.#options;
    const { node, uid } = record;
    const first = record.leaseDue === 0;
    await renewNodeLease(kubelet(node.name), { name: node.name, uid }, { first, now: clock.now() });
    record.leaseDue = clock.monotonic() + heartbeatMs - (first ? spread(node.name, heartbeatMs) : 0);
  }
}

/** Unless the kubelet was started again meanwhile: what it reported is of the one before. */
function reported(record: NodeRecord, started: KubeletSettings | undefined, statusDue: number): void {
  if (record.node.kubelet === started) Object.assign(record, { restarted: false, statusDue });
}

/** A number below `range` that depends on the name only. */
function spread(name: string, range: number): number {
  return Number.parseInt(hashText(name).slice(0, 8), 16) % range;
}

function unlessGone(error: unknown): void {
  if (!isNotFound(error)) throw error;
}
