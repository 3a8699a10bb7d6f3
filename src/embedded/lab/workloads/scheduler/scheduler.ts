import { isApiError, isNotFound } from "../../../../cluster/kube/api-error.ts";
import type { CacheEvent, Informer } from "../../../../cluster/kube/cache.ts";
import { equal } from "../../../../language/object/json.ts";
import type { KubeObject } from "../../../../language/object/meta.ts";
import { matchesLabels } from "../../../../language/object/label-selector.ts";
import { pause } from "../../../../cluster/runtime/clock.ts";
import { type Log, noLog } from "../../../../cluster/runtime/log/log.ts";
import type { Node, PersistentVolumeClaim, Pod, PodDisruptionBudget } from "../workload-objects.ts";
import { ClusterState } from "./cluster-state.ts";
import { type Decision, decideNode } from "./decide.ts";
import { type PodFacts, podFacts } from "./pod-facts.ts";
import { selectorOf } from "./pod-query.ts";
import { PodWrites, type PodWritesOptions } from "./pod-writes.ts";
import { decidePreemption, type ProtectedPods } from "./preemption.ts";
import { SchedulingQueue } from "./scheduling-queue.ts";
import { removedByNodeChange, removedByPodAdded, removedByPodDeleted } from "./obstacle.ts";

export interface SchedulerOptions extends PodWritesOptions {
  pods: Informer<Pod>;
  nodes: Informer<Node>;
  namespaces: Informer;
  budgets: Informer<PodDisruptionBudget>;
  claims: Informer<PersistentVolumeClaim>;
  /** The `spec.schedulerName` of its pods. Default: `default-scheduler`. */
  schedulerName?: string;
  /** Concurrent requests. Default 32. */
  concurrency?: number;
  log?: Log | undefined;
}

const gatedMessage = "Scheduling is blocked due to non-empty scheduling gates";
const retryMs = 1_000;
/** After this many decisions the event loop gets a turn. */
const decisionsPerTurn = 32;

/** Assigns pods to nodes: one decision after another, with concurrent writes. */
export class Scheduler {
  readonly name = "scheduler";
  readonly #options: SchedulerOptions;
  readonly #log: Log;
  readonly #state = new ClusterState();
  readonly #queue: SchedulingQueue;
  readonly #writes: PodWrites;
  /** Pods with a decision that the cache does not show yet. */
  readonly #assumed = new Set<string>();
  readonly #running = new Set<Promise<void>>();
  #proceed: () => void = () => {};

  constructor(options: SchedulerOptions) {
    this.#options = options;
    this.#log = (options.log ?? noLog).child({ controller: this.name });
    this.#queue = new SchedulingQueue(options.clock, () => this.#proceed());
    this.#writes = new PodWrites(options);
  }

  /** Schedules until the signal, then waits for running writes. */
  async run(signal: AbortSignal): Promise<void> {
    const { pods, nodes, namespaces, budgets, claims, concurrency = 32 } = this.#options;
    const stop = (): void => this.#proceed();
    signal.addEventListener("abort", stop, { once: true });
    let unsubscribe: (() => void)[] = [];
    try {
      // A decision on incomplete caches could overcommit a node.
      const informers: Informer[] = [pods, nodes, namespaces, budgets, claims];
      await Promise.all(informers.map((informer) => informer.whenSynced(signal)));
      unsubscribe = [
        claims.subscribe(({ type }) => type === "added" && this.#queue.changed(["claims"])),
        namespaces.subscribe((event) => this.#onNamespace(event)),
        nodes.subscribe((event) => this.#onNode(event)),
        pods.subscribe((event) => this.#onPod(event)),
      ];
      for (let decisions = 1; !signal.aborted; decisions++) {
        const pod = this.#running.size < concurrency ? this.#queue.take() : undefined;
        if (pod) this.#schedule(pod, signal);
        else await new Promise<void>((resolve) => (this.#proceed = resolve));
        if (decisions % decisionsPerTurn === 0) await new Promise<void>((resolve) => setImmediate(resolve));
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      signal.removeEventListener("abort", stop);
      for (const end of unsubscribe) end();
      this.#queue.stop();
      await Promise.all(this.#running);
    }
  }

  #schedule(pod: PodFacts, signal: AbortSignal): void {
    if (pod.gated) {
      this.#queue.park(pod.uid, new Set());
      return this.#start(pod, () => this.#writes.report(pod, "SchedulingGated", gatedMessage));
    }
    const missing = this.#missingClaim(pod);
    if (missing !== undefined) {
      this.#queue.park(pod.uid, new Set(["claims"]));
      const message = `0/${this.#state.nodes.length} nodes are available: ${missing}.`;
      return this.#start(pod, () => this.#writes.report(pod, "Unschedulable", message));
    }
    const decision = decideNode(pod, this.#state);
    if (decision.type === "unschedulable") return this.#rejectPod(pod, decision);
    this.#state.withdraw(pod.uid);
    this.#state.place({ ...pod, nodeName: decision.name });
    this.#assumed.add(pod.uid);
    this.#start(pod, () => this.#bind(pod, decision.name, signal));
  }

  /** In kube-scheduler's words. Whether a claim is bound does not matter here: virtual nodes mount nothing. */
  #missingClaim({ namespace, claims }: PodFacts): string | undefined {
    for (const name of claims) {
      const claim = this.#options.claims.get(`${namespace}/${name}`);
      if (!claim) return `persistentvolumeclaim "${name}" not found`;
      if (claim.metadata.deletionTimestamp) return `persistentvolumeclaim "${name}" is being deleted`;
    }
    return undefined;
  }

  #rejectPod(pod: PodFacts, decision: Extract<Decision, { type: "unschedulable" }>): void {
    const preemption = decidePreemption(pod, decision.rejections, this.#state, this.#budgets());
    this.#queue.park(pod.uid, decision.obstacles);
    if (preemption.type === "waiting")
      return this.#start(pod, () => this.#writes.report(pod, "Unschedulable", decision.message, pod.nominatedNode));
    if (preemption.type === "none") {
      this.#state.withdraw(pod.uid);
      const message = `${decision.message} preemption: ${preemption.message}`;
      return this.#start(pod, () => this.#writes.report(pod, "Unschedulable", message));
    }
    const { nodeName, victims } = preemption;
    this.#state.nominate({ ...pod, nominatedNode: nodeName }, nodeName);
    this.#log.info({ pod: pod.key, node: nodeName, victims: victims.map(({ key }) => key) }, "preempt");
    this.#start(pod, async () => {
      // Nominated first, so that after a crash the next scheduler knows for which pod the room was made.
      await this.#writes.report(pod, "Unschedulable", decision.message, nodeName);
      await Promise.all(
        victims.filter(({ terminating }) => !terminating).map((victim) => this.#writes.preempt(victim, pod)),
      );
    });
  }

  async #bind(pod: PodFacts, nodeName: string, signal: AbortSignal): Promise<void> {
    try {
      await this.#writes.bind(pod, nodeName);
    } catch (error) {
      this.#log.warn({ error, pod: pod.key, node: nodeName }, "failed to bind the pod");
      const bound = isRefusal(error) ? false : await this.#isBound(pod, signal);
      // Bound after all: the cache will show it, and until then its resources are taken.
      if (bound || !this.#assumed.delete(pod.uid)) return;
      this.#state.displace(pod.uid);
      if (isNotFound(error)) this.#queue.delete(pod.uid);
      else this.#queue.retry(pod.uid);
    }
  }

  /** Asks until the API server answers: a request without a response may have been carried out. */
  async #isBound(pod: PodFacts, signal: AbortSignal): Promise<boolean> {
    while (!signal.aborted) {
      try {
        const found = await this.#writes.nodeOf(pod);
        return found.type === "pod" && found.nodeName !== "";
      } catch (error) {
        this.#log.warn({ error, pod: pod.key }, "failed to read whether the pod is bound, will retry");
      }
      await pause(this.#options.clock, retryMs, signal);
    }
    return true;
  }

  #start(pod: PodFacts, work: () => Promise<void>): void {
    const run = async (): Promise<void> => {
      try {
        await work();
      } catch (error) {
        this.#log.warn({ error, pod: pod.key }, "failed to write the pod's status, will retry");
        const known = this.#queue.get(pod.uid);
        if (known) this.#queue.add(known);
      }
    };
    const running = run().finally(() => {
      this.#running.delete(running);
      this.#proceed();
    });
    this.#running.add(running);
  }

  #budgets(): ProtectedPods[] {
    return this.#options.budgets.list().map(({ metadata, spec, status }) => {
      const selector = selectorOf(spec?.selector);
      return {
        covers: (pod) => pod.namespace === metadata.namespace && matchesLabels(selector, pod.labels),
        allowed: status?.disruptionsAllowed ?? 0,
      };
    });
  }

  #onNamespace(event: CacheEvent<KubeObject>): void {
    const { name = "", labels = {} } = event.object.metadata;
    this.#state.setNamespace(name, event.type === "deleted" ? undefined : labels);
    this.#queue.changed(["pod affinity"]);
  }

  #onNode(event: CacheEvent<Node>): void {
    const name = event.object.metadata.name ?? "";
    const before = event.type === "added" ? undefined : event.type === "updated" ? event.before : event.object;
    const after = event.type === "deleted" ? undefined : event.object;
    const removed = removedByNodeChange(before, after);
    if (before && after && removed.length === 0) return;
    this.#state.setNode(name, after);
    // Topology spread and pod affinity depend on other nodes too.
    const elsewhere = removed.filter((obstacle) => obstacle === "spread" || obstacle === "pod affinity");
    this.#queue.changed(removed, name);
    this.#queue.changed(elsewhere);
  }

  #onPod(event: CacheEvent<Pod>): void {
    const { object } = event;
    const { uid = "" } = object.metadata;
    const phase = object.status?.phase;
    const isOver = event.type === "deleted" || phase === "Succeeded" || phase === "Failed";
    if (isOver) return this.#forget(uid);
    if (object.spec?.nodeName) {
      // Most updates of a pod are status updates of its kubelet.
      if (event.type === "updated" && event.before.spec?.nodeName && sameRequirements(event.before, object)) return;
      return this.#placed(object, uid);
    }
    if (this.#assumed.has(uid)) return;
    const { schedulerName = "default-scheduler" } = this.#options;
    if ((object.spec?.schedulerName ?? "default-scheduler") !== schedulerName) return;
    if (object.metadata.deletionTimestamp) return this.#forget(uid);
    const facts = podFacts(object);
    if (facts.nominatedNode) this.#state.nominate(facts, facts.nominatedNode);
    if (event.type === "updated" && sameRequirements(event.before, object)) this.#queue.refresh(facts);
    else this.#queue.add(facts);
  }

  #placed(pod: Pod, uid: string): void {
    this.#assumed.delete(uid);
    this.#queue.delete(uid);
    this.#state.withdraw(uid);
    const facts = podFacts(pod);
    this.#state.place(facts);
    this.#queue.changed(removedByPodAdded);
  }

  #forget(uid: string): void {
    this.#assumed.delete(uid);
    this.#queue.delete(uid);
    this.#state.withdraw(uid);
    const pod = this.#state.displace(uid);
    if (pod) this.#queue.changed(removedByPodDeleted);
  }
}

/** Whether both versions of a pod have the same scheduling requirements. */
function sameRequirements(before: Pod, after: Pod): boolean {
  return (
    before.metadata.deletionTimestamp === after.metadata.deletionTimestamp &&
    equal(before.metadata.labels, after.metadata.labels) &&
    equal(before.spec, after.spec)
  );
}

/** The API server answered that it did not carry the request out. */
function isRefusal(error: unknown): boolean {
  return isApiError(error) && error.code >= 400 && error.code < 500;
}
