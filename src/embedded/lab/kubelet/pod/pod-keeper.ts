import { isConflict, isNotFound } from "../../../../cluster/kube/api-error.ts";
import { kinds } from "../../../../cluster/kube/kinds.ts";
import { isOlder } from "../../../../cluster/kube/cache.ts";
import { keyOf } from "../../../../language/object/meta.ts";
import { formatTime } from "../../../../language/object/time.ts";
import { pause } from "../../../../cluster/runtime/clock.ts";
import { Controller, source } from "../../../../cluster/runtime/controller/controller.ts";
import type { Log } from "../../../../cluster/runtime/log/log.ts";
import { byNode, type NodeCaches } from "../../workloads/workload-caches.ts";
import { nodeStatus, kubeletLabels } from "../node/node-object.ts";
import type { NodeState } from "../node/node-record.ts";
import type { OutageRetry } from "../outage-retry.ts";
import { PodAddresses } from "./pod-addresses.ts";
import { admitPod, type Admission, type Pod } from "./pod-admission.ts";
import { PodRun } from "./pod-run.ts";
import type { KubeletContext } from "./pod-context.ts";
import { podStatus, statusPatch, type KubeletStatus } from "./pod-status.ts";
import type { VirtualNode } from "../node/virtual-node.ts";

export interface PodKeeperOptions extends Omit<KubeletContext, "changed"> {
  nodes: readonly VirtualNode[];
  caches: NodeCaches;
  /** Whether the machine and its kubelet run; `off` where another process runs the node. */
  readonly stateOf: (node: string) => NodeState;
  outageRetry: OutageRetry;
  log: Log;
}

/** How long programs may take to end when the process stops. */
const stopMs = 5000;

/** Runs the pods of all virtual nodes of a process: one queue, one informer, one write for a status that changed. */
export class PodKeeper {
  readonly #options: PodKeeperOptions;
  readonly #nodes: Map<string, VirtualNode>;
  readonly #indexes: Map<string, number>;
  readonly #runs = new Map<string, PodRun>();
  readonly #addresses = new Map<string, PodAddresses>();
  /** Pods as we wrote their status last, until the cache has caught up. */
  readonly #written = new Map<string, Pod>();
  readonly #controller: Controller;
  readonly #shared: KubeletContext;

  constructor(options: PodKeeperOptions) {
    this.#options = options;
    this.#nodes = new Map(options.nodes.map((node) => [node.name, node]));
    this.#indexes = new Map(options.nodes.map(({ name }, index) => [name, index]));
    const { caches, clock, log } = options;
    this.#controller = new Controller({
      name: "pod-keeper",
      clock,
      log,
      concurrency: 32,
      queue: { backoff: { baseMs: 200, maxMs: 30_000 }, overall: false },
      stopGraceMs: 5000,
      sources: [
        source(caches.pods, ({ object }) => (this.#nodes.has(object.spec?.nodeName ?? "") ? [keyOf(object)] : [])),
      ],
      reconcile: async (key) => options.outageRetry.run(() => this.#sync(key)),
    });
    this.#shared = { ...options, changed: (key) => this.#controller.queue.add(key) };
  }

  async run(signal: AbortSignal): Promise<void> {
    try {
      await this.#controller.run(signal);
    } finally {
      const ends = [...this.#runs.values()].flatMap((run) => run.terminate());
      if (ends.length > 0) await Promise.race([Promise.all(ends), pause(this.#options.clock, stopMs)]);
      for (const run of this.#runs.values()) run.abandon();
      this.#runs.clear();
    }
  }

  add(node: VirtualNode): void {
    this.#nodes.set(node.name, node);
    if (!this.#indexes.has(node.name)) this.#indexes.set(node.name, this.#indexes.size);
  }

  /** Its machine is gone, and its pods have ended. */
  drop(node: string): void {
    this.#nodes.delete(node);
  }

  /** Queues all pods of a node: something about the node changed. */
  resync(node: string): void {
    for (const pod of this.#options.caches.pods.byIndex(byNode, node)) this.#controller.queue.add(keyOf(pod));
  }

  /** Ends all pods of a node, as a shutdown of its machine does: SIGTERM, and after a while SIGKILL. */
  async shutDown(node: string): Promise<void> {
    const runs = [...this.#runs].filter(([, run]) => run.node.name === node);
    const ends = runs.flatMap(([, run]) => run.terminate());
    if (ends.length > 0) await Promise.race([Promise.all(ends), pause(this.#options.clock, stopMs)]);
    this.kill(node);
  }

  /** Ends all pods of a node at once. Their statuses stay as they are until the kubelet starts again. */
  kill(node: string): void {
    for (const [key, run] of this.#runs) if (run.node.name === node) this.#forget(key, run);
  }

  /** The run of a pod, for its logs. */
  find(namespace: string, name: string): PodRun | undefined {
    return this.#runs.get(`${namespace}/${name}`);
  }

  async #sync(key: string): Promise<{ requeueAfterMs: number } | undefined> {
    const { caches, stateOf } = this.#options;
    const pod = caches.pods.get(key);
    const before = this.#runs.get(key);
    if (before && (before.uid !== pod?.metadata.uid || stateOf(before.node.name) === "off")) this.#forget(key, before);
    const node = this.#nodes.get(pod?.spec?.nodeName ?? "");
    if (!pod || !node || stateOf(node.name) !== "running") return undefined;
    const run = this.#runs.get(key);
    if (!run && isFinal(pod)) return this.#remove(pod, node);
    if (!run) {
      const admission = this.#admit(pod, node);
      if (admission.type === "rejected") return this.#reject(pod, node, admission);
    }
    return this.#advance(key, pod, run ?? this.#begin(key, pod, node));
  }

  async #advance(key: string, pod: Pod, run: PodRun): Promise<{ requeueAfterMs: number } | undefined> {
    const nextSyncMs = await run.step(pod);
    const leaving = run.over && pod.metadata.deletionTimestamp !== undefined;
    // The last status of a deleted pod is worth a write only if a finalizer keeps the pod.
    if (!leaving || (pod.metadata.finalizers?.length ?? 0) > 0)
      await this.#report(key, pod, run.node, podStatus(run.view(pod)));
    if (leaving) await this.#remove(pod, run.node);
    return nextSyncMs === undefined ? undefined : { requeueAfterMs: nextSyncMs };
  }

  #begin(key: string, pod: Pod, node: VirtualNode): PodRun {
    const addresses = this.#addressesOf(node);
    const known = pod.status?.podIP;
    if (known) addresses.keep(known);
    const address = known ?? (pod.spec?.hostNetwork ? "" : addresses.take());
    const run = new PodRun({ key, pod, node, podIP: address, shared: this.#shared });
    this.#runs.set(key, run);
    return run;
  }

  #forget(key: string, run: PodRun): void {
    run.abandon();
    this.#addresses.get(run.node.name)?.release(run.podIP);
    this.#runs.delete(key);
    this.#written.delete(key);
  }

  #addressesOf(node: VirtualNode): PodAddresses {
    let addresses = this.#addresses.get(node.name);
    if (!addresses) {
      addresses = new PodAddresses(this.#indexes.get(node.name) ?? 0);
      this.#addresses.set(node.name, addresses);
    }
    return addresses;
  }

  /** Only a new pod can be rejected: one that has a start time was admitted before. */
  #admit(pod: Pod, node: VirtualNode): Admission {
    if (pod.status?.startTime || pod.metadata.deletionTimestamp) return { type: "admitted" };
    const { pods, nodes } = this.#options.caches;
    const others = pods.byIndex(byNode, node.name).flatMap((other) => {
      const run = this.#runs.get(keyOf(other));
      return run && !run.over ? [run.requests] : [];
    });
    const labels = nodes.get(node.name)?.metadata.labels ?? { ...kubeletLabels(node), ...node.options.labels };
    const allocatable = nodeStatus(node, { port: 0, now: 0 }).allocatable as Record<string, string>;
    return admitPod({ pod, others, node: { name: node.name, labels }, allocatable });
  }

  async #reject(
    pod: Pod,
    node: VirtualNode,
    { reason, message }: Admission & { type: "rejected" },
  ): Promise<undefined> {
    const startTime = formatTime(this.#options.clock.now());
    this.#options.events.warn(pod, node.name, reason, message);
    const failure = { reason, message: `Pod was rejected: ${message}` };
    const view = { pod, containers: [], over: true, failure, startTime, hostIP: "" };
    await this.#report(keyOf(pod), pod, node, podStatus(view));
  }

  async #report(key: string, pod: Pod, node: VirtualNode, status: KubeletStatus): Promise<void> {
    const written = this.#written.get(key);
    const ahead =
      written?.metadata.uid === pod.metadata.uid &&
      isOlder(pod.metadata.resourceVersion ?? "", written?.metadata.resourceVersion ?? "");
    if (written && !ahead) this.#written.delete(key);
    const { clock, kubelet } = this.#options;
    const stored = ahead && written ? written : pod;
    const patch = statusPatch(stored.status, status, clock.now());
    if (!patch) return;
    const { name = "", namespace, uid } = pod.metadata;
    // The uid is a precondition: never another pod of the same name.
    const body = { metadata: { uid }, status: patch };
    const options = { namespace, subresource: "status" };
    try {
      const answer = await kubelet(node.name).patch(kinds.pod, name, { type: "strategic", patch: body }, options);
      this.#written.set(key, answer);
    } catch (error) {
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
  }

  /** The kubelet ends a graceful deletion with a second one, without a grace period. */
  async #remove(pod: Pod, node: VirtualNode): Promise<undefined> {
    const { name = "", namespace, uid, deletionTimestamp, deletionGracePeriodSeconds } = pod.metadata;
    // A grace period of 0: that deletion was sent before, and finalizers keep the pod.
    if (!deletionTimestamp || deletionGracePeriodSeconds === 0) return;
    try {
      const options = { namespace, gracePeriodSeconds: 0, preconditions: { uid } };
      await this.#options.kubelet(node.name).delete(kinds.pod, name, options);
    } catch (error) {
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
  }
}

function isFinal({ status }: Pod): boolean {
  return status?.phase === "Succeeded" || status?.phase === "Failed";
}
