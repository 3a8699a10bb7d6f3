import { isApiError, isNotFound } from "../../../cluster/kube/api-error.ts";
import type { Informer } from "../../../cluster/kube/cache.ts";
import type { Client, KindRef } from "../../../cluster/kube/client.ts";
import type { Clock } from "../../../cluster/runtime/clock.ts";
import { Controller, type Result, source } from "../../../cluster/runtime/controller/controller.ts";
import { errorText } from "../../../cluster/runtime/error-text.ts";
import { forEachBounded } from "../../../cluster/runtime/for-each-bounded.ts";
import type { Log } from "../../../cluster/runtime/log/log.ts";
import { type Metrics, noMetrics } from "../../../cluster/runtime/metrics/metrics.ts";
import { keyOf, type KubeObject } from "../../../language/object/meta.ts";
import type { PlannedEvent } from "../../../language/object/plan.ts";
import { formatTime } from "../../../language/object/time.ts";
import { annotations, ownAnnotations } from "../node-annotations.ts";
import { judgeNode } from "../node-state.ts";
import type { NodeWriter } from "../node-writer-controller.ts";
import type { RolloutNode } from "../rollout-node.ts";
import { decideDrain, type DrainDecision, elapsed, hasFailed, retryAfter } from "./decide-drain.ts";
import { type BlockedPod, describeBlocked, type DrainRecord, mostBlocked, unblocking } from "./drain-record.ts";
import { budgetsOf, type DisruptionBudget, isEvictable, overstay } from "./evictable-pods.ts";

export interface DrainOptions {
  readonly client: Client;
  readonly nodes: Informer<RolloutNode>;
  readonly writer: NodeWriter;
  /** How long a drain of a node may take: then the update goes on without it. Default: as long as it needs. */
  readonly timeoutMs?: ((node: RolloutNode) => number | undefined) | undefined;
  readonly clock: Clock;
  readonly log?: Log | undefined;
  readonly metrics?: Metrics | undefined;
  readonly recorder?: { record(event: PlannedEvent): void } | undefined;
}

const podKind: KindRef = { apiVersion: "v1", kind: "Pod", plural: "pods", namespaced: true };
const budgetKind: KindRef<DisruptionBudget> = {
  apiVersion: "policy/v1",
  kind: "PodDisruptionBudget",
  plural: "poddisruptionbudgets",
  namespaced: true,
};

type Drain = Extract<DrainDecision, { type: "drain" }>;

/** Carries out what agents ask for: cordons and drains their nodes, and takes back its own cordons. */
export function drainController(options: DrainOptions): Controller {
  const { client, nodes, writer, clock, recorder } = options;
  const failedDrains = (options.metrics ?? noMetrics).gauge(
    "mcc_drain_err",
    "1 while a node could not be drained in time.",
    ["node"],
  );

  return new Controller({
    name: "drain",
    clock,
    concurrency: 8,
    queue: { backoff: { maxMs: 60_000 } },
    log: options.log,
    metrics: options.metrics,
    sources: [
      source(nodes, ({ type, object }) => {
        const { name = "" } = object.metadata;
        if (type === "deleted") failedDrains.remove({ node: name });
        return type === "deleted" || decideDrain(judgeNode(object), now()).type === "none" ? [] : [name];
      }),
    ],
    async reconcile(name, { signal, log }): Promise<Result | undefined> {
      const node = writer.get(name);
      if (!node) return undefined;
      const decision = decideDrain(judgeNode(node), now());
      switch (decision.type) {
        case "none":
          return undefined;
        case "invalid":
          report(node, { type: "Warning", reason: "InvalidDrainRequest", message: decision.problem });
          return undefined;
        case "uncordon":
          log.info({ node: name, isOurs: decision.isOurs }, "uncordon");
          failedDrains.remove({ node: name });
          await writer.write({ node, ...uncordoned(decision) }, signal);
          return undefined;
        case "drain":
          return drain(node, decision, signal, log);
      }
    },
  });

  async function drain(node: RolloutNode, decision: Drain, signal: AbortSignal, log: Log): Promise<Result | undefined> {
    const { name = "" } = node.metadata;
    const { request, config, cordon, event } = decision;
    if (event) report(node, event);
    if (cordon) {
      log.info({ node: name, config }, "cordon");
      const record = JSON.stringify(decision.record);
      const written = { [ownAnnotations.cordonedFor]: config, [ownAnnotations.drain]: record };
      await writer.write({ node, annotations: written, isCordoned: true }, signal);
    }
    const { blocked, left } = await evictAll(name, signal);
    if (left === 0) return answer(name, request, signal);
    const limitMs = options.timeoutMs?.(node);
    const remainingMs = limitMs === undefined ? Infinity : limitMs - elapsed(decision.record, now());
    if (limitMs !== undefined && remainingMs <= 0) {
      report(node, givenUp(name, limitMs, blocked, left));
      return answer(name, request, signal);
    }
    const record = { ...decision.record, ...summary(blocked) };
    if (hasFailed(record)) failedDrains.labels({ node: name }).set(1);
    await remember(name, record, signal);
    // Its owner may not look at pools. Once for each drain: what is in the way changes with every attempt.
    const [first] = blocked;
    if (first && decision.record.blocked.length === 0)
      report(node, {
        type: "Warning",
        reason: "DrainBlocked",
        message: [describeFirst(first, blocked.length - 1), ...unblocking(blocked)].join(": "),
      });
    return { requeueAfterMs: Math.min(remainingMs, retryAfter(record, now(), blocked.length < left)) };
  }

  /** Asks every pod to go. `left`: how many have not gone yet. */
  async function evictAll(node: string, signal: AbortSignal): Promise<{ blocked: BlockedPod[]; left: number }> {
    const { items } = await client.list(podKind, { fieldSelector: `spec.nodeName=${node}`, signal });
    const pods = items.filter(isEvictable);
    const refused: { readonly pod: KubeObject; readonly message: string }[] = [];
    let gone = 0;
    await forEachBounded(pods, 8, async (pod) => {
      if (pod.metadata.deletionTimestamp) {
        const message = overstay(pod, now());
        if (message !== undefined) refused.push({ pod, message });
        return;
      }
      try {
        await evict(pod, signal);
      } catch (error) {
        if (isNotFound(error)) gone++;
        else if (isApiError(error) && error.code > 0) refused.push({ pod, message: errorText(error) });
        else throw error;
      }
    });
    const held = refused.filter(({ pod }) => !pod.metadata.deletionTimestamp);
    const budgets: DisruptionBudget[] = [];
    for (const namespace of new Set(held.map(({ pod }) => pod.metadata.namespace)))
      budgets.push(...(await client.list(budgetKind, { namespace, signal })).items);
    const blocked = refused.map((one) => ({
      pod: keyOf(one.pod),
      budgets: held.includes(one) ? budgetsOf(one.pod, budgets) : [],
      message: one.message,
    }));
    return { blocked: blocked.toSorted((a, b) => (a.pod < b.pod ? -1 : 1)), left: pods.length - gone };
  }

  async function evict({ metadata: { name = "", namespace, uid } }: KubeObject, signal: AbortSignal): Promise<void> {
    const eviction = {
      apiVersion: "policy/v1",
      kind: "Eviction",
      metadata: { name, namespace },
      deleteOptions: { preconditions: { uid } },
    };
    await client.create<KubeObject>(podKind, eviction, { namespace, name, subresource: "eviction", signal });
  }

  /** Only if it still is as it was asked for: another client may have uncordoned the node meanwhile. */
  async function answer(name: string, request: string, signal: AbortSignal): Promise<Result | undefined> {
    const node = await writer.read(name, signal);
    if (!node) return undefined;
    if (node.spec?.unschedulable !== true || node.metadata.annotations?.[annotations.desiredDrain] !== request)
      return { requeue: true };
    failedDrains.remove({ node: name });
    const written = { [annotations.lastAppliedDrain]: request, [ownAnnotations.drain]: null };
    await writer.write({ node, annotations: written }, signal);
    return undefined;
  }

  async function remember(name: string, record: DrainRecord, signal: AbortSignal): Promise<void> {
    const node = writer.get(name);
    const text = JSON.stringify(record);
    if (!node || node.metadata.annotations?.[ownAnnotations.drain] === text) return;
    await writer.write({ node, annotations: { [ownAnnotations.drain]: text } }, signal);
  }

  function report(node: RolloutNode, event: Omit<PlannedEvent, "regarding">): void {
    const { name, uid } = node.metadata;
    recorder?.record({ regarding: { apiVersion: "v1", kind: "Node", metadata: { name, uid } }, ...event });
  }

  function now(): string {
    return formatTime(clock.now());
  }
}

function uncordoned({ request, isOurs }: Extract<DrainDecision, { type: "uncordon" }>): {
  annotations: Record<string, string | null>;
  isCordoned?: boolean;
} {
  return {
    annotations: {
      [ownAnnotations.cordonedFor]: null,
      [ownAnnotations.drain]: null,
      ...(request === undefined ? {} : { [annotations.lastAppliedDrain]: request }),
    },
    ...(isOurs ? { isCordoned: false } : {}),
  };
}

function givenUp(
  node: string,
  limitMs: number,
  blocked: readonly BlockedPod[],
  left: number,
): Omit<PlannedEvent, "regarding"> {
  const [first] = blocked;
  const pods = first ? describeFirst(first, left - 1) : `${left} ${left === 1 ? "pod" : "pods"}`;
  const message = `node ${node}: not drained after ${Math.ceil(limitMs / 1000)} s, it is updated with ${pods} on it`;
  return { type: "Warning", reason: "DrainTimeout", message };
}

function describeFirst(first: BlockedPod, others: number): string {
  return `${describeBlocked(first)}${others > 0 ? `, and ${others} more ${others === 1 ? "pod" : "pods"}` : ""}`;
}

function summary(blocked: readonly BlockedPod[]): Pick<DrainRecord, "blocked" | "more"> {
  const more = blocked.length - mostBlocked;
  return { blocked: blocked.slice(0, mostBlocked), more: more > 0 ? more : undefined };
}
